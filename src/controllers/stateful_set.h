/// Pods with names that stay: made, replaced and removed in order.
/// Source: k8s.io/kubernetes pkg/controller/statefulset.
#pragma once

#include <memory>
#include <string>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_stateful_set_controller(Context context);

}  // namespace dray::controllers
