/// getFullYear, getHours, ... of timestamps and durations.
/// Source: cel-go common/stdlib/standard.go, common/types/timestamp.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cel/environment.h"

namespace dray::cel {

void add_time(Environment& env);

/// Seconds east of UTC in the named zone at that time. False if the zone is not known.
bool zone_offset(std::string_view name, std::int64_t seconds, std::int64_t& offset);

}  // namespace dray::cel
