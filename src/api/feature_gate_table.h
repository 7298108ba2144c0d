/// The constant table behind known_gates().
#pragma once

#include <span>

#include "api/feature_gates.h"

namespace dray::api {

/// Sorted by name.
[[nodiscard]] std::span<const Gate> gate_table();

}  // namespace dray::api
