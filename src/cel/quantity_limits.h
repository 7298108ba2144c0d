/// Texts of quantities whose numbers have more digits than anybody can compute with.
#pragma once

#include <cstdint>
#include <string_view>

namespace dray::cel {

/// Whether the exponent of a text like "1e2147483647" is too large to be worked with. Exponents
/// wrap at 32 bits, as in the reference.
[[nodiscard]] inline bool endless(std::string_view text) {
  const auto at = text.find_first_of("eE");
  if (at == std::string_view::npos) return false;
  std::string_view digits = text.substr(at + 1);
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  std::uint32_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  const auto exponent = static_cast<std::int32_t>(negative ? 0 - value : value);
  return exponent > 100'000 || exponent < -100'000;
}

}  // namespace dray::cel
