/// Kubernetes' metav1.Time (seconds), MicroTime (microseconds) and Duration in JSON. Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace dray {

/// Seconds since 1970, UTC. The default is Go's zero time: absent in JSON ("null").
struct Time {
  static constexpr std::int64_t kZero = INT64_MIN;
  std::int64_t seconds = kZero;

  [[nodiscard]] bool is_zero() const { return seconds == kZero; }
  [[nodiscard]] static Time of(WallTime wall);
  [[nodiscard]] WallTime wall() const;
  /// RFC 3339 with any offset and fraction; the fraction is dropped.
  [[nodiscard]] static Result<Time> parse(std::string_view text);
  /// "2026-11-30T18:30:00Z".
  [[nodiscard]] std::string str() const;
  auto operator<=>(const Time&) const = default;
};

/// Microseconds since 1970, UTC.
struct MicroTime {
  static constexpr std::int64_t kZero = INT64_MIN;
  std::int64_t microseconds = kZero;

  [[nodiscard]] bool is_zero() const { return microseconds == kZero; }
  [[nodiscard]] static MicroTime of(WallTime wall);
  [[nodiscard]] WallTime wall() const;
  [[nodiscard]] static Result<MicroTime> parse(std::string_view text);
  /// "2026-11-30T18:30:00.000000Z".
  [[nodiscard]] std::string str() const;
  auto operator<=>(const MicroTime&) const = default;
};

/// Go's time.Duration as metav1.Duration writes it: "1h2m3.5s".
struct GoDuration {
  std::int64_t nanoseconds = 0;
  [[nodiscard]] static Result<GoDuration> parse(std::string_view text);
  [[nodiscard]] std::string str() const;
  auto operator<=>(const GoDuration&) const = default;
};

}  // namespace dray
