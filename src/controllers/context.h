/// What all controllers have: the cluster, the pods by owner and node, and a few short ways to use them.
/// Thread: confined to the control plane's executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "client/cluster.h"
#include "machinery/time.h"

namespace dray::controllers {

class PodIndex;

struct Context {
  client::Cluster& cluster;
  PodIndex& pods;

  [[nodiscard]] Time now() const;
  [[nodiscard]] WallTime wall() const;
};

/// A loop that runs from `start` until it is destroyed.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual void start() = 0;
};

/// Lets callbacks of something that was destroyed do nothing.
class Alive {
 public:
  Alive() : flag_(std::make_shared<bool>(true)) {}
  ~Alive() { *flag_ = false; }
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;
  [[nodiscard]] std::shared_ptr<bool> token() const { return flag_; }

 private:
  std::shared_ptr<bool> flag_;
};

/// Calls `change` with the states before and after each change of a kind; null where there is none.
template <class T>
void watch(client::Cluster& cluster, const Alive& alive, std::function<void(const T* old, const T* now)> change) {
  auto shared = std::make_shared<decltype(change)>(std::move(change));
  const auto call = [token = alive.token(), shared](const ObjectPtr& old, const ObjectPtr& now) {
    if (*token) (*shared)(static_cast<const T*>(old.get()), static_cast<const T*>(now.get()));
  };
  cluster.informer<T>().add_handler({
      [call](const ObjectPtr& object) { call(nullptr, object); },
      [call](const ObjectPtr& old, const ObjectPtr& object) { call(old, object); },
      [call](const ObjectPtr& last) { call(last, nullptr); },
  });
}

/// Does the write and gives its answer, where the cluster answers before the call returns; the answer of
/// a remote one arrives as a watch event, and its errors are retried by the next look.
class Answer {
 public:
  [[nodiscard]] client::Cluster::Done done();
  [[nodiscard]] Result<ObjectPtr> take() const;
  /// The error, unless it is one of absence.
  [[nodiscard]] Result<> unless_gone() const;

 private:
  std::shared_ptr<Result<ObjectPtr>> result_ = std::make_shared<Result<ObjectPtr>>(ObjectPtr{});
};

[[nodiscard]] Result<ObjectPtr> create(client::Cluster& cluster, std::shared_ptr<Object> object);
[[nodiscard]] Result<ObjectPtr> update(client::Cluster& cluster, std::shared_ptr<Object> object);
[[nodiscard]] Result<ObjectPtr> update_status(client::Cluster& cluster, std::shared_ptr<Object> object);
/// Absence is success. With the uid as precondition, in the background.
[[nodiscard]] Result<> remove(client::Cluster& cluster, const Object& object);

}  // namespace dray::controllers
