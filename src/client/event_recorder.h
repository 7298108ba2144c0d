/// Writes Events about objects, with client-go's two ways of keeping their number down. A note with an
/// action is an events.k8s.io event (repeats become a series), one without is a core event (repeats are
/// counted, and many that differ only in their text are combined).
/// Source: k8s.io/client-go tools/events, tools/record.
/// Thread: confined to the control plane's executor.
#pragma once

#include <list>
#include <map>
#include <string>
#include <unordered_map>

#include "client/cluster.h"
#include "store/resources.h"

namespace dray::core {
struct Event;
}

namespace dray::client {

/// The last `kMax` keys that were used. A value.
template <class T>
class Recent {
 public:
  static constexpr std::size_t kMax = 4096;  // client-go's maxLruCacheEntries
  T& operator[](const std::string& key) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    order_.emplace_front(key, T{});
    by_key_[key] = order_.begin();
    if (order_.size() > kMax) {
      by_key_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }

 private:
  std::list<std::pair<std::string, T>> order_;
  std::unordered_map<std::string, typename std::list<std::pair<std::string, T>>::iterator> by_key_;
};

class EventRecorder {
 public:
  EventRecorder(Executor& executor, store::Resources& resources);
  ~EventRecorder();
  void record(const Object& about, const EventNote& note);

 private:
  /// An event that was written.
  struct Written {
    std::string name;
    std::int32_t count = 0;
    WallTime first{};
    WallTime last{};
    WallTime stored{};
  };
  struct Similar {
    std::map<std::string, bool> texts;
    WallTime last{};
  };
  /// client-go's token bucket, per source and object.
  struct Budget {
    double tokens = -1;
    MonoTime at{};
  };

  bool spends(Budget& budget, MonoTime now) const;
  void record_series(const std::string& key, core::Event event, Now now);
  void record_counted(const std::string& object_key, core::Event event, Now now);
  std::string write_new(core::Event event);
  void write_again(const core::Event& event, const Written& known);

  Executor& executor_;
  store::Resources& resources_;
  Recent<Written> series_, counted_;
  Recent<Similar> similar_;
  Recent<Budget> budgets_;
};

}  // namespace dray::client
