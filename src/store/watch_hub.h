/// The history of writes and those who watch it. Private to the store.
/// Thread: confined to the control plane's executor.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "store/store.h"

namespace dray::store {

/// Events are handed out by one posted task, in order, so that a callback that writes does not make
/// others see its write before the one it reacts to.
class WatchHub : public std::enable_shared_from_this<WatchHub> {
 public:
  struct Watcher;
  /// The events of one kind.
  struct Topic {
    std::deque<EventPtr> events;
    Revision floor = 0;  // everything after it is retained
    std::vector<std::shared_ptr<Watcher>> watchers;
  };

  /// Nothing before `start` can be resumed from.
  WatchHub(Executor& executor, std::size_t history_max, Revision start);
  ~WatchHub();

  /// Lives as long as the hub.
  [[nodiscard]] Topic* new_topic();
  void publish(Topic& topic, EventPtr event);
  /// Error kExpired.
  [[nodiscard]] Result<std::unique_ptr<Watch>> watch(Topic& topic, Revision from, Revision now,
                                                     std::function<void(const EventPtr&)> on_event);

 private:
  void forget_oldest();
  void pump();
  void catch_up(const std::shared_ptr<Watcher>& watcher);
  class Handle;
  void end(Topic& topic, Watcher& watcher);

  Executor& executor_;
  const std::size_t history_max_;
  const Revision start_;
  std::deque<std::unique_ptr<Topic>> topics_;
  std::deque<Topic*> order_;                          // whose event is the oldest, and so on
  std::deque<std::pair<Topic*, EventPtr>> pending_;   // published, not yet handed out
  bool pump_posted_ = false;
};

}  // namespace dray::store
