/// Whether an event may help a pod that a plugin refused: one rule per plugin.
/// Source: scheduler/framework/plugins/*/EventsToRegister.
#pragma once

#include "placement/state.h"
#include "scheduler/events.h"
#include "scheduler/queue.h"

namespace dray::scheduler {

struct HintContext {
  const placement::State& state;
  /// Whether all claims of the pod exist, belong to it and are not being deleted.
  std::function<bool(const core::Pod&)> claims_in_order;
};

[[nodiscard]] Hint queueing_hint(const HintContext& context, placement::Plugin plugin,
                                 const QueuedPod& pod, const ClusterEvent& event);

}  // namespace dray::scheduler
