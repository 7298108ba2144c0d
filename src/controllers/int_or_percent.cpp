#include "controllers/int_or_percent.h"

#include <charconv>

namespace dray::controllers {

std::int32_t scaled_value(const IntOrString& value, std::int32_t total, bool round_up) {
  if (!value.is_string) return value.number;
  std::int64_t percent = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [rest, error] = std::from_chars(value.text.data(), end, percent);
  if (error != std::errc{} || rest + 1 != end || *rest != '%') return 0;
  const std::int64_t hundredths = percent * total;
  return static_cast<std::int32_t>(hundredths / 100 + (round_up && hundredths % 100 > 0 ? 1 : 0));
}

}  // namespace dray::controllers
