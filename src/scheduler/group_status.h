/// What users see of a group's scheduling.
#pragma once

#include <string>

#include "scheduler/core.h"

namespace dray::scheduler {

/// Sets PodGroupInitiallyScheduled; once it is true it stays so.
void write_group_condition(Core& core, const scheduling_v1beta1::PodGroup& group, bool scheduled,
                           const std::string& reason, const std::string& message);

}  // namespace dray::scheduler
