/// Volumes that are bound when their first pod has a node.
#pragma once

#include <functional>
#include <vector>

#include "placement/volumes.h"
#include "scheduler/core.h"

namespace dray::scheduler {

/// The cluster's volumes, and those that bindings have promised.
[[nodiscard]] placement::VolumeSource volume_source(Core& core);

/// Writes the claim into the volume and the volume into the claim, for each match. `done` gets the first
/// error, or success.
void bind_volumes(Core& core, std::vector<placement::VolumeMatch> matches,
                  std::function<void(const Result<>&)> done);

}  // namespace dray::scheduler
