/// Exact arithmetic on quantities for counters and capacities: whole nano units in 128 bits.
#pragma once

#include "machinery/quantity.h"

namespace dray::dra {

/// Quantities have at most nine decimal digits behind the point, so this is exact up to 10^24 units;
/// what is larger (no device has a ronnabyte) counts as 10^24. A hundred thousand of those add up
/// without overflow.
using Amount = __int128;

[[nodiscard]] Amount amount_of(const Quantity& quantity);

}  // namespace dray::dra
