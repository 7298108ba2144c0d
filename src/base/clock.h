/// Time, handed in. Pure code takes a `Now`; within one task it stands still.
#pragma once

#include <chrono>

namespace dray {

using Duration = std::chrono::nanoseconds;
/// For intervals, leases and time-outs: never steps back. Nanoseconds since an arbitrary start.
using MonoTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;
/// For timestamps that a person reads: UTC, may jump between two calls.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

struct Now {
  MonoTime mono;
  WallTime wall;
};

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual MonoTime mono() const = 0;
  [[nodiscard]] virtual WallTime wall() const = 0;
  [[nodiscard]] Now now() const { return {mono(), wall()}; }
};

/// The machine's clocks. Thread-safe.
class RealClock final : public Clock {
 public:
  [[nodiscard]] MonoTime mono() const override;
  [[nodiscard]] WallTime wall() const override;
};

/// A clock that moves only when told to: tests and simulation. Confined to its executor.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(WallTime start) : wall_(start) {}
  [[nodiscard]] MonoTime mono() const override { return mono_; }
  [[nodiscard]] WallTime wall() const override { return wall_; }
  void advance(Duration by) {
    mono_ += by;
    wall_ += by;
  }
  /// A jump of the wall clock alone, as an operator or NTP makes it.
  void step_wall(Duration by) { wall_ += by; }

 private:
  MonoTime mono_{};
  WallTime wall_;
};

}  // namespace dray
