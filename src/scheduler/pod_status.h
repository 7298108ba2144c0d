/// What users see of a pod's scheduling: its PodScheduled condition, its nomination, and events.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "scheduler/core.h"

namespace dray::scheduler {

struct StatusChange {
  /// Reason and message of PodScheduled=False; nothing: the condition stays.
  std::string reason, message;
  /// nominatedNodeName; nothing: it stays.
  std::optional<std::string> nominated_node;
};

/// Writes the change unless the pod's status says so already.
void write_status(Core& core, const core::Pod& pod, const StatusChange& change);
/// Changes the pod's newest status and writes it, again if somebody else wrote meanwhile. `change`
/// returns whether there is something to write; `done` gets the answer.
void modify_status(Core& core, const std::string& namespace_, const std::string& name,
                   std::function<bool(core::Pod&)> change, client::Cluster::Done done = {});

void record_failed(Core& core, const core::Pod& pod, const std::string& message);
void record_scheduled(Core& core, const core::Pod& pod, const std::string& node);

/// Cut to what an event may hold.
[[nodiscard]] std::string event_text(std::string message);

}  // namespace dray::scheduler
