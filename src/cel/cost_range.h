/// Arithmetic of estimates: sums and products stop at "no bound".
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cel/cost_estimate.h"

namespace dray::cel {

inline constexpr std::uint64_t kNoBound = UINT64_MAX;
inline constexpr double kScanFactor = 0.1;
inline constexpr double kRegexFactor = 0.25;

inline Range fixed(std::uint64_t n) { return {n, n}; }
inline Range unknown_size() { return {0, kNoBound}; }

inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > kNoBound - b ? kNoBound : a + b; }
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kNoBound / b ? kNoBound : a * b;
}
inline std::uint64_t times(std::uint64_t a, double factor) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  const auto x = static_cast<double>(a);
  if (x > 0 && factor > 0 && x > kTwoTo64 / factor) return kNoBound;
  const double up = std::ceil(x * factor);
  return up >= kTwoTo64 ? kNoBound : static_cast<std::uint64_t>(up);
}

inline Range operator+(Range a, Range b) { return {plus(a.min, b.min), plus(a.max, b.max)}; }
inline Range operator*(Range a, Range b) { return {times(a.min, b.min), times(a.max, b.max)}; }
inline Range operator*(Range a, double f) { return {times(a.min, f), times(a.max, f)}; }
inline Range united(Range a, Range b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

}  // namespace dray::cel
