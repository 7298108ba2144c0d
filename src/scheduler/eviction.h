/// Victims of preemption leave: condition, event, deletion with their own grace period.
#pragma once

#include <string>
#include <vector>

#include "scheduler/core.h"

namespace dray::scheduler {

void evict(Core& core, const placement::PodInfo& preemptor, const std::string& node,
           const std::vector<placement::PodInfoPtr>& victims);

}  // namespace dray::scheduler
