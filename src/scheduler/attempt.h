/// One pod's attempt: ask the placement core, then bind, or say why not and make room if that helps.
#pragma once

#include <string>

#include "scheduler/core.h"

namespace dray::scheduler {

/// Takes the pod that was popped; it is bound or back in the queue afterwards (or on its way).
void attempt(Core& core, const QueuedPodPtr& pod);

/// The attempt failed for a reason that is no refusal: SchedulerError, and another try after a pause.
void handle_error(Core& core, const QueuedPodPtr& pod, const std::string& message);

}  // namespace dray::scheduler
