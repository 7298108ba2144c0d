/// "The cluster" as the scheduler, the controllers and the nodes see it. In-process it is the store
/// itself (nothing is copied or encoded); remote it is an API server. They know nothing else.
/// Thread: confined to the control plane's executor; callbacks run there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/error.h"
#include "base/executor.h"
#include "base/random.h"
#include "machinery/meta_v1.h"
#include "machinery/object.h"

namespace dray::core {
struct Pod;
struct Binding;
}  // namespace dray::core

namespace dray::client {

/// What changes of one kind cause. `old` is the state before, as this informer had seen it.
struct Handler {
  std::function<void(const ObjectPtr& object)> added;
  std::function<void(const ObjectPtr& old, const ObjectPtr& object)> updated;
  std::function<void(const ObjectPtr& last)> deleted;
};

/// The current objects of one kind.
class Informer {
 public:
  virtual ~Informer() = default;
  [[nodiscard]] virtual ObjectPtr get(std::string_view namespace_, std::string_view name) const = 0;
  [[nodiscard]] virtual std::vector<ObjectPtr> list(std::string_view namespace_ = {}) const = 0;
  /// Calls `added` for what is there already (by posted tasks), then for each change, in order.
  virtual void add_handler(Handler handler) = 0;
  /// Whether the first complete state has arrived.
  [[nodiscard]] virtual bool synced() const = 0;
};

/// A recorded event about an object (core/v1 Event); equal ones are counted, as client-go does.
struct EventNote {
  std::string type = "Normal";  // or "Warning"
  std::string reason, message;
  std::string component;        // "default-scheduler", ...
  std::string action;           // optional
};

class Cluster {
 public:
  using Done = std::function<void(const Result<ObjectPtr>&)>;
  virtual ~Cluster() = default;

  [[nodiscard]] virtual Executor& executor() = 0;
  [[nodiscard]] virtual Rng& rng() = 0;
  [[nodiscard]] virtual const api::Registry& registry() const = 0;
  [[nodiscard]] virtual const api::FeatureGates& gates() const = 0;

  /// The shared informer of a stored kind; made on first use, lives as long as the cluster.
  [[nodiscard]] virtual Informer& informer(const StructDescriptor& kind) = 0;
  template <class T>
  [[nodiscard]] Informer& informer() {
    return informer(T::kDescriptor);
  }
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> get(std::string_view namespace_, std::string_view name) {
    return as<T>(informer(T::kDescriptor).get(namespace_, name));
  }

  // Writes. `done` may be empty; in-process it runs before the call returns.
  virtual void create(std::shared_ptr<Object> object, Done done = {}) = 0;
  virtual void update(std::shared_ptr<Object> object, Done done = {}) = 0;
  virtual void update_status(std::shared_ptr<Object> object, Done done = {}) = 0;
  virtual void remove(const StructDescriptor& kind, std::string_view namespace_, std::string_view name,
                      const meta::DeleteOptions& how = {}, Done done = {}) = 0;
  /// PUT namespaces/finalize: what is left of the namespace's spec.finalizers.
  virtual void finalize(std::shared_ptr<Object> space, Done done = {}) = 0;
  /// POST pods/binding.
  virtual void bind(const core::Binding& binding, Done done = {}) = 0;
  /// POST pods/eviction, with its disruption budgets.
  virtual void evict(std::string_view namespace_, std::string_view name,
                     const meta::DeleteOptions& how = {}, Done done = {}) = 0;
  virtual void record(const Object& about, const EventNote& note) = 0;
};

}  // namespace dray::client
