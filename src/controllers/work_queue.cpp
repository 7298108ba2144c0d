#include "controllers/work_queue.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace dray::controllers {
namespace {
using namespace std::chrono_literals;
constexpr Duration kBackoffFirst = 5ms;
constexpr Duration kBackoffMax = 1000s;
constexpr int kDoublingsMax = 18;
}  // namespace

WorkQueue::WorkQueue(Executor& executor, std::string name, Sync sync)
    : executor_(executor), name_(std::move(name)), sync_(std::move(sync)), alive_(std::make_shared<bool>(true)) {}

WorkQueue::~WorkQueue() {
  *alive_ = false;
  for (const auto& [key, timer] : timers_) executor_.cancel(timer.id);
}

void WorkQueue::add(const ObjectKey& key) {
  if (!queued_.insert(key).second) return;
  ready_.push_back(key);
  post();
}

void WorkQueue::add_after(const ObjectKey& key, Duration delay) {
  if (delay <= Duration::zero()) return add(key);
  const MonoTime due = executor_.clock().mono() + delay;
  if (const auto found = timers_.find(key); found != timers_.end()) {
    if (found->second.due <= due) return;
    executor_.cancel(found->second.id);
  }
  timers_[key] = {due, executor_.after(delay, [this, alive = alive_, key] {
                    if (!*alive) return;
                    timers_.erase(key);
                    add(key);
                  })};
}

void WorkQueue::post() {
  if (std::exchange(posted_, true)) return;
  executor_.post([this, alive = alive_] {
    if (*alive) run_one();
  });
}

void WorkQueue::run_one() {
  posted_ = false;
  if (ready_.empty()) return;
  const ObjectKey key = std::move(ready_.front());
  ready_.pop_front();
  queued_.erase(key);  // what happens from now on asks for another look
  ++syncs_;
  const Result<> done = sync_(key);
  if (done) {
    failures_.erase(key);
  } else {
    retry(key, done.error());
  }
  if (!ready_.empty()) post();
}

void WorkQueue::retry(const ObjectKey& key, const Error& error) {
  const int doublings = std::min(failures_[key]++, kDoublingsMax);
  spdlog::debug("{}: {}/{}: {}", name_, key.namespace_, key.name, error.message);
  add_after(key, std::min(kBackoffFirst * (std::int64_t{1} << doublings), kBackoffMax));
}

}  // namespace dray::controllers
