/// Places the members of a group on the state one by one, and takes everything back.
#pragma once

#include <string>
#include <vector>

#include "scheduler/binding.h"
#include "scheduler/core.h"

namespace dray::scheduler {

/// One member's part. Without a node the diagnosis says why.
struct MemberTry {
  QueuedPodPtr member;
  placement::NodeIndex node = placement::kNoNode;
  Decision decision;
  placement::Diagnosis diagnosis;
};

struct GroupTry {
  bool fits = false;
  bool tried_any = false;
  /// Of a group that doesn't fit: "minCount (3) cannot be satisfied: 2 scheduled, 0 remaining".
  std::string reason;
  /// Not empty: the attempt failed as a whole.
  std::string error;
  std::vector<QueuedPodPtr> members;
  std::vector<MemberTry> tries;  // of the members in order, as far as they were tried
};

/// `placed`: members that have a node already.
[[nodiscard]] GroupTry try_group(Core& core, const scheduling_v1beta1::PodGroup& group,
                                 const std::vector<QueuedPodPtr>& members, std::size_t placed);

}  // namespace dray::scheduler
