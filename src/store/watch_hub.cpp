#include "store/watch_hub.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dray::store {
namespace {
/// A watch that resumes far back is served in parts, so that others get their turn.
constexpr std::size_t kCatchUpBatch = 1000;
}  // namespace

struct WatchHub::Watcher {
  std::function<void(const EventPtr&)> on_event;
  Revision seen = 0;              // what is up to here was handed out, or lies in `backlog`
  std::deque<EventPtr> backlog;   // past events; later ones queue behind them
  bool live = false;              // the backlog was handed out
  bool ended = false;
};

/// Both may outlive the store.
class WatchHub::Handle final : public Watch {
 public:
  Handle(std::weak_ptr<WatchHub> hub, Topic& topic, std::shared_ptr<Watcher> watcher)
      : hub_(std::move(hub)), topic_(topic), watcher_(std::move(watcher)) {}
  ~Handle() override {
    if (const auto hub = hub_.lock()) hub->end(topic_, *watcher_);
  }

 private:
  std::weak_ptr<WatchHub> hub_;
  Topic& topic_;
  std::shared_ptr<Watcher> watcher_;
};

WatchHub::WatchHub(Executor& executor, std::size_t history_max, Revision start)
    : executor_(executor), history_max_(history_max), start_(start) {}
WatchHub::~WatchHub() = default;

WatchHub::Topic* WatchHub::new_topic() {
  topics_.push_back(std::make_unique<Topic>());
  topics_.back()->floor = start_;
  return topics_.back().get();
}

void WatchHub::publish(Topic& topic, EventPtr event) {
  topic.events.push_back(event);
  order_.push_back(&topic);
  if (order_.size() > history_max_) forget_oldest();
  if (topic.watchers.empty()) return;
  pending_.emplace_back(&topic, std::move(event));
  if (std::exchange(pump_posted_, true)) return;
  executor_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->pump();
  });
}

void WatchHub::forget_oldest() {
  Topic& topic = *order_.front();
  order_.pop_front();
  topic.floor = topic.events.front()->revision;
  topic.events.pop_front();
}

void WatchHub::pump() {
  pump_posted_ = false;
  // Writes made by the callbacks are left to the next task: fair to the executor's other work.
  for (std::size_t left = pending_.size(); left > 0; --left) {
    const auto [topic, event] = std::move(pending_.front());
    pending_.pop_front();
    const std::size_t count = topic->watchers.size();  // callbacks may add more
    for (std::size_t i = 0; i < count; ++i) {
      const std::shared_ptr<Watcher> watcher = topic->watchers[i];
      if (watcher->ended || watcher->seen >= event->revision) continue;
      watcher->seen = event->revision;
      if (watcher->live) {
        watcher->on_event(event);
      } else {
        watcher->backlog.push_back(event);
      }
    }
  }
}

void WatchHub::end(Topic& topic, Watcher& watcher) {
  watcher.ended = true;
  watcher.backlog.clear();
  // Later: it may be the watch's own callback that ends it.
  executor_.post([weak = weak_from_this(), &topic] {
    if (!weak.lock()) return;
    std::erase_if(topic.watchers, [](const auto& other) { return other->ended; });
  });
}

Result<std::unique_ptr<Watch>> WatchHub::watch(Topic& topic, Revision from, Revision now,
                                               std::function<void(const EventPtr&)> on_event) {
  if (from < topic.floor) {
    return fail(Code::kExpired, fmt::format("too old resource version: {} ({})", from, topic.floor));
  }
  const auto watcher = std::make_shared<Watcher>();
  watcher->on_event = std::move(on_event);
  watcher->seen = std::max(from, now);
  const auto first = std::upper_bound(topic.events.begin(), topic.events.end(), from,
                                      [](Revision r, const EventPtr& e) { return r < e->revision; });
  watcher->backlog.assign(first, topic.events.end());
  watcher->live = watcher->backlog.empty();
  topic.watchers.push_back(watcher);
  if (!watcher->live) catch_up(watcher);
  return std::make_unique<Handle>(weak_from_this(), topic, watcher);
}

void WatchHub::catch_up(const std::shared_ptr<Watcher>& watcher) {
  executor_.post([weak = weak_from_this(), watcher] {
    const auto self = weak.lock();
    for (std::size_t n = 0; self && !watcher->ended && n < kCatchUpBatch && !watcher->backlog.empty(); ++n) {
      const EventPtr event = std::move(watcher->backlog.front());
      watcher->backlog.pop_front();
      watcher->on_event(event);
    }
    if (!self || watcher->ended) return;
    if (watcher->backlog.empty()) {
      watcher->live = true;
    } else {
      self->catch_up(watcher);
    }
  });
}

}  // namespace dray::store
