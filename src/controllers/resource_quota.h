/// Counts what a namespace uses of its quotas: at first, when hard limits change, and when something is
/// given back. (What is taken, admission charges.)
/// Source: k8s.io/kubernetes pkg/controller/resourcequota.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_resource_quota_controller(Context context);

}  // namespace dray::controllers
