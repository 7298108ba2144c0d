#include "base/executor.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace dray {
namespace {

using namespace std::chrono_literals;

TEST(VirtualExecutor, RunsTasksInOrderAndTimersByTime) {
  VirtualExecutor executor;
  std::string order;
  executor.after(2s, [&] { order += 'c'; });
  executor.after(1s, [&] { order += 'b'; });
  executor.after(2s, [&] { order += 'd'; });
  executor.post([&] { order += 'a'; });
  EXPECT_EQ(executor.run_for(1s), 2U);
  EXPECT_EQ(order, "ab");
  executor.run_for(1s);
  EXPECT_EQ(order, "abcd");
}

TEST(VirtualExecutor, TheClockStandsStillWithinATaskAndMovesBetween) {
  VirtualExecutor executor(WallTime(100s));
  std::vector<Duration> seen;
  executor.after(3s, [&] { seen.push_back(executor.clock().mono().time_since_epoch()); });
  executor.run_for(10s);
  EXPECT_EQ(seen, std::vector<Duration>{3s});
  EXPECT_EQ(executor.clock().wall(), WallTime(110s));
}

TEST(VirtualExecutor, ACancelledTimerDoesNotRun) {
  VirtualExecutor executor;
  bool ran = false;
  const TimerId id = executor.after(1s, [&] { ran = true; });
  executor.cancel(id);
  executor.cancel(id);
  executor.cancel(12345);
  executor.run_for(2s);
  EXPECT_FALSE(ran);
}

TEST(VirtualExecutor, TasksPostedByTasksRunInTheSameRound) {
  VirtualExecutor executor;
  int depth = 0;
  executor.post([&] { executor.post([&] { executor.post([&] { depth = 3; }); }); });
  EXPECT_EQ(executor.run_ready(), 3U);
  EXPECT_EQ(depth, 3);
}

TEST(ThreadExecutor, RunsTasksOfOtherThreadsInOrder) {
  RealClock clock;
  ThreadExecutor executor(clock);
  std::promise<int> done;
  int count = 0;
  for (int i = 0; i < 1000; ++i) executor.post([&] { ++count; });
  executor.after(1ms, [&] { done.set_value(count); });
  EXPECT_EQ(done.get_future().get(), 1000);
}

TEST(ThreadExecutor, StopDropsWhatHasNotBegun) {
  RealClock clock;
  bool ran = false;
  {
    ThreadExecutor executor(clock);
    executor.after(1h, [&] { ran = true; });
    executor.stop();
    executor.post([&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace dray
