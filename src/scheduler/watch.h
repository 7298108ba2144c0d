/// Keeps the scheduler's state as the cluster's informers say, and tells the queue what happened.
#pragma once

#include "scheduler/core.h"

namespace dray::scheduler {

/// Registers handlers for everything that matters.
void watch_cluster(Core& core);
/// Whether all that was registered has arrived.
[[nodiscard]] bool is_synced(Core& core);

}  // namespace dray::scheduler
