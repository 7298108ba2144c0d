#include "api/age.h"

#include <fmt/format.h>

namespace dray::api {
namespace {

/// "5m30s", or "5m" if nothing is left.
std::string two_parts(std::int64_t big, const char* big_unit, std::int64_t rest, const char* rest_unit) {
  return rest == 0 ? fmt::format("{}{}", big, big_unit)
                   : fmt::format("{}{}{}{}", big, big_unit, rest, rest_unit);
}

}  // namespace

std::string human_duration(Duration duration) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const std::int64_t minutes = seconds / 60, hours = minutes / 60, days = hours / 24;
  if (minutes < 10) return two_parts(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return fmt::format("{}m", minutes);
  if (hours < 8) return two_parts(hours, "h", minutes % 60, "m");
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return two_parts(days, "d", hours % 24, "h");
  if (days < 2 * 365) return fmt::format("{}d", days);
  if (days < 8 * 365) return two_parts(days / 365, "y", days % 365, "d");
  return fmt::format("{}y", days / 365);
}

std::string age(const Time& since, Now now) {
  return since.is_zero() ? "<unknown>" : human_duration(now.wall - since.wall());
}

}  // namespace dray::api
