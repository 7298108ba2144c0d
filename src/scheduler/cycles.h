/// Makes the placement core's cycle for a pod out of what the scheduler knows, and a decision of its answer.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "placement/cycle.h"
#include "placement/devices.h"
#include "scheduler/binding.h"
#include "scheduler/core.h"

namespace dray::scheduler {

/// Allocations that other members of the same group got in the same attempt, by claim uid.
using PendingOfGroup =
    std::unordered_map<std::string, std::shared_ptr<const resource::AllocationResult>>;

/// `pending`: null for a pod that is tried alone.
[[nodiscard]] placement::Cycle make_cycle(Core& core, const placement::PodInfoPtr& pod,
                                          const PendingOfGroup* pending);
/// The devices' part; null if the pod has nothing to do with devices.
[[nodiscard]] placement::DeviceCycle* devices_of(placement::Cycle& cycle);
/// What binding the pod to the node means.
[[nodiscard]] Decision decide(Core& core, placement::Cycle& cycle, placement::NodeIndex node);

}  // namespace dray::scheduler
