#include "base/executor.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

namespace dray {
namespace {

/// What both executors share: a queue of ready tasks, and timers by (time, sequence).
struct Agenda {
  using Key = std::pair<MonoTime, TimerId>;
  std::deque<Task> ready;
  std::map<Key, Task> timers;
  std::unordered_map<TimerId, MonoTime> due_of;
  TimerId last_id = 0;

  TimerId add(MonoTime due, Task task) {
    const TimerId id = ++last_id;
    timers.emplace(Key{due, id}, std::move(task));
    due_of.emplace(id, due);
    return id;
  }
  void cancel(TimerId id) {
    if (const auto found = due_of.find(id); found != due_of.end()) {
      timers.erase(Key{found->second, id});
      due_of.erase(found);
    }
  }
  /// Moves timers that are due to the ready queue.
  void ripen(MonoTime now) {
    while (!timers.empty() && timers.begin()->first.first <= now) {
      auto node = timers.extract(timers.begin());
      due_of.erase(node.key().second);
      ready.push_back(std::move(node.mapped()));
    }
  }
};

}  // namespace

struct ThreadExecutor::State {
  const Clock& clock;
  std::mutex mutex;
  std::condition_variable changed;
  Agenda agenda;
  bool stopping = false;
  std::thread thread;

  void run() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      agenda.ripen(clock.mono());
      if (!agenda.ready.empty()) {
        Task task = std::move(agenda.ready.front());
        agenda.ready.pop_front();
        lock.unlock();
        task();
        task = nullptr;
        lock.lock();
      } else if (agenda.timers.empty()) {
        changed.wait(lock);
      } else {
        const Duration wait = agenda.timers.begin()->first.first - clock.mono();
        changed.wait_for(lock, wait);
      }
    }
  }
};

ThreadExecutor::ThreadExecutor(const Clock& clock) : state_(new State{clock, {}, {}, {}, false, {}}) {
  state_->thread = std::thread([this] { state_->run(); });
}
ThreadExecutor::~ThreadExecutor() { stop(); }

const Clock& ThreadExecutor::clock() const { return state_->clock; }

void ThreadExecutor::post(Task task) {
  {
    std::lock_guard lock(state_->mutex);
    state_->agenda.ready.push_back(std::move(task));
  }
  state_->changed.notify_one();
}

TimerId ThreadExecutor::after(Duration delay, Task task) {
  TimerId id;
  {
    std::lock_guard lock(state_->mutex);
    id = state_->agenda.add(state_->clock.mono() + delay, std::move(task));
  }
  state_->changed.notify_one();
  return id;
}

void ThreadExecutor::cancel(TimerId id) {
  std::lock_guard lock(state_->mutex);
  state_->agenda.cancel(id);
}

void ThreadExecutor::stop() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  if (state_->thread.joinable()) state_->thread.join();
}

struct VirtualExecutor::State {
  explicit State(WallTime start) : clock(start) {}
  VirtualClock clock;
  Agenda agenda;
};

VirtualExecutor::VirtualExecutor(WallTime start) : state_(std::make_unique<State>(start)) {}
VirtualExecutor::~VirtualExecutor() = default;

const Clock& VirtualExecutor::clock() const { return state_->clock; }
VirtualClock& VirtualExecutor::virtual_clock() { return state_->clock; }
void VirtualExecutor::post(Task task) { state_->agenda.ready.push_back(std::move(task)); }
TimerId VirtualExecutor::after(Duration delay, Task task) {
  return state_->agenda.add(state_->clock.mono() + delay, std::move(task));
}
void VirtualExecutor::cancel(TimerId id) { state_->agenda.cancel(id); }

std::size_t VirtualExecutor::run_ready() {
  std::size_t ran = 0;
  for (;; ++ran) {
    state_->agenda.ripen(state_->clock.mono());
    if (state_->agenda.ready.empty()) return ran;
    const Task task = std::move(state_->agenda.ready.front());
    state_->agenda.ready.pop_front();
    task();
  }
}

std::size_t VirtualExecutor::run_for(Duration span) {
  const MonoTime end = state_->clock.mono() + span;
  std::size_t ran = run_ready();
  while (!state_->agenda.timers.empty() && state_->agenda.timers.begin()->first.first <= end) {
    state_->clock.advance(state_->agenda.timers.begin()->first.first - state_->clock.mono());
    ran += run_ready();
  }
  state_->clock.advance(end - state_->clock.mono());
  return ran;
}

}  // namespace dray
