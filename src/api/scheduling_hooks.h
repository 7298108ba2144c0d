/// What the schema cannot say of scheduling.k8s.io's kinds.
#pragma once

#include <span>

#include "api/hooks.h"

namespace dray::api {

[[nodiscard]] std::span<const KindHooks> scheduling_hooks();

}  // namespace dray::api
