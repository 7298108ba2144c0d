/// One thread, one queue: every mutable object of the control plane belongs to one Executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.h"

namespace dray {

using Task = std::function<void()>;
/// Names a timer of one executor; 0 is none.
using TimerId = std::uint64_t;

class Executor {
 public:
  virtual ~Executor() = default;

  [[nodiscard]] virtual const Clock& clock() const = 0;
  /// Runs `task` on the executor's thread, after all tasks posted before it. Thread-safe.
  virtual void post(Task task) = 0;
  /// Runs `task` once `delay` has passed; equal times run in the order of the calls. Thread-safe.
  virtual TimerId after(Duration delay, Task task) = 0;
  /// The task will not run any more, unless it is running now. Unknown ids are ignored. Thread-safe.
  virtual void cancel(TimerId id) = 0;
};

/// A thread of its own on the machine's clock. `stop` lets the running task finish, drops the rest
/// and joins; the destructor calls it.
class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(const Clock& clock);
  ~ThreadExecutor() override;
  [[nodiscard]] const Clock& clock() const override;
  void post(Task task) override;
  TimerId after(Duration delay, Task task) override;
  void cancel(TimerId id) override;
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs in the caller's thread and in virtual time: an idle moment costs nothing. Tests, simulation.
class VirtualExecutor final : public Executor {
 public:
  explicit VirtualExecutor(WallTime start = WallTime{});
  ~VirtualExecutor() override;
  [[nodiscard]] const Clock& clock() const override;
  void post(Task task) override;
  TimerId after(Duration delay, Task task) override;
  void cancel(TimerId id) override;

  /// Runs what is due now, without moving the clock. Returns how many tasks ran.
  std::size_t run_ready();
  /// Runs everything that becomes due within `span`, and leaves the clock at its end.
  std::size_t run_for(Duration span);
  [[nodiscard]] VirtualClock& virtual_clock();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray
