/// What follows a decision: the pod's claims are reserved (allocated where they are not), its devices get
/// ready, the pod is bound. Each step is a write that may take its time; until the end the pod is assumed
/// to be on its node. A step that fails takes everything back, and the pod waits for another attempt.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "placement/devices.h"
#include "placement/volumes.h"
#include "scheduler/core.h"

namespace dray::scheduler {

struct Decision {
  placement::NodeIndex node = placement::kNoNode;
  placement::DeviceDecision devices;
  /// The pod's own claims, allocated or not.
  std::vector<ClaimPtr> claims;
  std::vector<placement::VolumeMatch> volumes;
};

struct Binding {
  QueuedPodPtr pod;
  std::string node;
  Decision decision;
  std::vector<ClaimPtr> to_bind;     // `claims`, the special one last
  std::vector<ClaimPtr> bound;       // as they were answered
  std::size_t next = 0;
  bool reserved = true;              // allocations are registered as pending
  ClaimPtr created;                  // the special claim, once it exists
  bool special_released = false;     // its allocation is no longer pending
  placement::PodInfoPtr counted;     // with what its claims take of the node, once that is written
  bool waits = false;                // for binding conditions
  MonoTime wait_until{};
  TimerId timer = 0;
  bool over = false;
};

/// Assumes the decision and starts to carry it out.
void start_binding(Core& core, const QueuedPodPtr& pod, Decision decision);
/// The pod is gone (or was bound by somebody else): nothing is left to do.
void stop_binding(Core& core, const std::string& uid);
/// A claim changed: bindings that wait for its devices look again.
void recheck_bindings(Core& core, const std::string& claim_uid);

}  // namespace dray::scheduler
