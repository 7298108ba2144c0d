/// One attempt of a pod group: its members are placed one by one on the real state, everything is taken
/// back, and if enough of them fit the group is bound.
/// Source: scheduler/schedule_one_podgroup.go.
#pragma once

#include "scheduler/core.h"

namespace dray::scheduler {

void attempt_group(Core& core, const QueuedPodPtr& entity);

}  // namespace dray::scheduler
