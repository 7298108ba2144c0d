/// Rolls a Deployment's template out through ReplicaSets.
/// Source: k8s.io/kubernetes pkg/controller/deployment.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_deployment_controller(Context context);

}  // namespace dray::controllers
