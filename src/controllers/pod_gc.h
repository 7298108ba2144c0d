/// Removes pods that nobody will: of nodes that are gone, and those that were deleted before they had one.
/// Source: k8s.io/kubernetes pkg/controller/podgc.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_pod_gc_controller(Context context);

}  // namespace dray::controllers
