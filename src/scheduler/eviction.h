/// Victims of preemption leave: condition, event, deletion with their own grace period.
#pragma once

#include <string>
#include <vector>

#include "scheduler/core.h"

namespace dray::scheduler {

struct Preemptor {
  std::string kind;   // "pod", "podgroup"
  std::string uid;
  std::string where;  // the node; "cluster"
};

void evict(Core& core, const Preemptor& preemptor, const std::vector<placement::PodInfoPtr>& victims);

}  // namespace dray::scheduler
