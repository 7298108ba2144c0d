/// What the schema cannot say of resource.k8s.io's kinds.
#pragma once

#include <span>

#include "api/hooks.h"

namespace dray::api {

[[nodiscard]] std::span<const KindHooks> resource_hooks();

}  // namespace dray::api
