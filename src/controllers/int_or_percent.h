/// Numbers that may be percentages. Pure.
#pragma once

#include <cstdint>

#include "machinery/scalars.h"

namespace dray::controllers {

/// "25%" of `total`, rounded up or down; an integer as it is. What is neither counts as 0: validation
/// refuses it.
[[nodiscard]] std::int32_t scaled_value(const IntOrString& value, std::int32_t total, bool round_up);

}  // namespace dray::controllers
