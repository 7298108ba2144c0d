/// Keys of objects to look at: each at most once at a time, again later where that failed.
/// Source: k8s.io/client-go util/workqueue.
/// Thread: confined to its executor.
#pragma once

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/error.h"
#include "base/executor.h"
#include "machinery/object.h"

namespace dray::controllers {

/// Where an object is. A value.
struct ObjectKey {
  std::string namespace_, name;
  auto operator<=>(const ObjectKey&) const = default;
};
[[nodiscard]] inline ObjectKey key_of(const Object& object) { return {object.namespace_(), object.name()}; }

class WorkQueue {
 public:
  /// `sync` looks at the newest state of the key; after an error it is called again, later and later
  /// (5 ms, doubled each time, at most 1000 s).
  using Sync = std::function<Result<>(const ObjectKey&)>;
  WorkQueue(Executor& executor, std::string name, Sync sync);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const ObjectKey& key);
  /// No later than after `delay`; the earliest of several wins.
  void add_after(const ObjectKey& key, Duration delay);
  [[nodiscard]] std::size_t size() const { return ready_.size(); }
  /// How often `sync` was called.
  [[nodiscard]] std::uint64_t syncs() const { return syncs_; }

 private:
  struct Timer {
    MonoTime due;
    TimerId id;
  };
  void post();
  void run_one();
  void retry(const ObjectKey& key, const Error& error);

  Executor& executor_;
  const std::string name_;
  Sync sync_;
  std::deque<ObjectKey> ready_;
  std::set<ObjectKey> queued_;
  std::map<ObjectKey, Timer> timers_;
  std::map<ObjectKey, int> failures_;
  bool posted_ = false;
  std::uint64_t syncs_ = 0;
  std::shared_ptr<bool> alive_;
};

}  // namespace dray::controllers
