/// Which pods of lower priority have to go so that a group fits.
/// Source: scheduler/framework/preemption/podgrouppreemption.go.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/core.h"
#include "scheduler/group_try.h"

namespace dray::scheduler {

struct GroupPreemption {
  std::string message;
  /// The message stands alone: what else was tried for the group is not told.
  bool alone = false;
  std::vector<placement::PodInfoPtr> victims;
  std::unordered_map<std::string, std::string> nominated;  // by the member's uid
};

[[nodiscard]] GroupPreemption preempt_for_group(Core& core, const scheduling_v1beta1::PodGroup& group,
                                                const std::vector<QueuedPodPtr>& members);
void evict_for_group(Core& core, const scheduling_v1beta1::PodGroup& group,
                     const GroupPreemption& preemption);

}  // namespace dray::scheduler
