#include "dra/amount.h"

#include <string>

namespace dray::dra {

namespace {
constexpr Amount kNano = 1'000'000'000;
constexpr Amount kUnitsMax = Amount{1'000'000'000'000} * 1'000'000'000'000;
constexpr Amount kMax = kUnitsMax * kNano;

/// "-12.5" and the like.
Amount parse_decimal(const std::string& text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  Amount value = 0;
  int fraction_digits = -1;
  for (; at < text.size(); ++at) {
    if (text[at] == '.') {
      fraction_digits = 0;
      continue;
    }
    if (fraction_digits >= 9) break;
    value = value * 10 + (text[at] - '0');
    if (fraction_digits >= 0) ++fraction_digits;
    if (fraction_digits < 0 && value > kUnitsMax) return text[0] == '-' ? -kMax : kMax;
  }
  for (int i = fraction_digits < 0 ? 0 : fraction_digits; i < 9; ++i) value *= 10;
  if (value > kMax) value = kMax;
  return text[0] == '-' ? -value : value;
}
}  // namespace

Amount amount_of(const Quantity& quantity) {
  std::int64_t whole = 0;
  if (quantity.as_int64(whole)) return Amount{whole} * kNano;
  return parse_decimal(quantity.decimal());
}

}  // namespace dray::dra
