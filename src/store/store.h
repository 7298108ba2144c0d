/// Versioned objects with watch, over one global revision.
///
/// Writes are applied in memory at once, in order, journalled in group commits, and may be acknowledged
/// to the outside once they are durable (`when_durable`). Parts in the same process see a write at
/// once: after a crash the state is a prefix of the same history.
/// Thread: confined to the control plane's executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/error.h"
#include "base/executor.h"
#include "machinery/object.h"

namespace dray::store {

/// Counts all writes of a store, from 1. An object's `metadata.resourceVersion` is its decimal text.
using Revision = std::uint64_t;

enum class EventType : std::uint8_t { kAdded, kModified, kDeleted };

/// One write. For kDeleted `object` is the last state, with the revision of the deletion.
struct Event {
  EventType type;
  Revision revision;
  ObjectPtr object;
  ObjectPtr old;  // before the write; null for kAdded
};
using EventPtr = std::shared_ptr<const Event>;

/// Ends its watch when destroyed. The callback never runs after that.
class Watch {
 public:
  virtual ~Watch() = default;
};

/// A page of a list, sorted by (namespace, name).
struct Listing {
  std::vector<ObjectPtr> items;
  Revision revision = 0;  // the list's resourceVersion
};

class Store {
 public:
  virtual ~Store() = default;

  [[nodiscard]] virtual Revision revision() const = 0;
  /// Null if there is none.
  [[nodiscard]] virtual ObjectPtr get(const api::Kind& kind, std::string_view namespace_,
                                      std::string_view name) const = 0;
  /// All objects of a namespace (empty: of all), after the key `after` ("namespace/name", or "name" of
  /// a cluster-scoped kind; empty: from the start), at most `limit` (0: all).
  [[nodiscard]] virtual Listing list(const api::Kind& kind, std::string_view namespace_ = {},
                                     std::string_view after = {}, std::size_t limit = 0) const = 0;
  [[nodiscard]] virtual std::size_t count(const api::Kind& kind) const = 0;

  /// Sets resourceVersion. Error kAlreadyExists.
  [[nodiscard]] virtual Result<ObjectPtr> create(const api::Kind& kind, std::shared_ptr<Object> object) = 0;
  /// Replaces the object of the same name. `expected` is the revision that the caller read
  /// (0: whichever). Errors kNotFound, kConflict with Kubernetes' texts.
  [[nodiscard]] virtual Result<ObjectPtr> update(const api::Kind& kind, std::shared_ptr<Object> object,
                                                 Revision expected) = 0;
  /// Errors kNotFound, kConflict. Returns the last state.
  [[nodiscard]] virtual Result<ObjectPtr> remove(const api::Kind& kind, std::string_view namespace_,
                                                 std::string_view name, Revision expected = 0) = 0;

  /// Calls `on_event` on the executor, in order, for every write of the kind after `from`. Events that
  /// are already past are delivered first, by posted tasks. Error kExpired if `from` is no longer
  /// retained.
  [[nodiscard]] virtual Result<std::unique_ptr<Watch>> watch(const api::Kind& kind, Revision from,
                                                             std::function<void(const EventPtr&)> on_event) = 0;

  /// Runs `task` on the executor once every write up to `revision` is durable (at once, in memory).
  /// When the journal cannot be written, `failed` runs instead: whether these writes survive a crash is
  /// not known then (they are tried again), and they must not be acknowledged. Until the journal works
  /// again, further writes are refused with the same error.
  virtual void when_durable(Revision revision, Task task,
                            std::function<void(const Error&)> failed = {}) = 0;
  [[nodiscard]] virtual Revision durable_revision() const = 0;
};

}  // namespace dray::store
