/// How large the parts of a device can be.
/// Source: dynamic-resource-allocation/cel/compile.go, resource.k8s.io's limits.
#pragma once

#include "cel/cost_estimate.h"

namespace dray::cel {

[[nodiscard]] std::optional<Range> device_bounds(const ValuePath& path);

}  // namespace dray::cel
