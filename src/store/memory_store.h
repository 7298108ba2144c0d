/// The store's engine: every kind an ordered map, the last writes kept for watches that resume, and
/// (optionally) a journal behind it that makes writes durable.
/// Thread: confined to the control plane's executor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "store/journal.h"
#include "store/store.h"

namespace dray::store {

struct StoreOptions {
  /// How many writes are kept for watches that resume, over all kinds. A burst of 2,000 pods with
  /// claims is some 15,000 writes; each may hold one old version of its object alive.
  std::size_t history_max = 50'000;
};

class MemoryStore final : public Store {
 public:
  /// Without a journal writes are durable at once. With one, `recovered` is what it held.
  explicit MemoryStore(Executor& executor, StoreOptions options = {});
  MemoryStore(Executor& executor, StoreOptions options, std::unique_ptr<Journal> journal,
              Recovered recovered);
  ~MemoryStore() override;

  [[nodiscard]] Revision revision() const override;
  [[nodiscard]] ObjectPtr get(const api::Kind& kind, std::string_view namespace_,
                              std::string_view name) const override;
  [[nodiscard]] Listing list(const api::Kind& kind, std::string_view namespace_, std::string_view after,
                             std::size_t limit) const override;
  [[nodiscard]] std::size_t count(const api::Kind& kind) const override;
  [[nodiscard]] Result<ObjectPtr> create(const api::Kind& kind, std::shared_ptr<Object> object) override;
  [[nodiscard]] Result<ObjectPtr> update(const api::Kind& kind, std::shared_ptr<Object> object,
                                         Revision expected) override;
  [[nodiscard]] Result<ObjectPtr> remove(const api::Kind& kind, std::string_view namespace_,
                                         std::string_view name, Revision expected) override;
  [[nodiscard]] Result<std::unique_ptr<Watch>> watch(
      const api::Kind& kind, Revision from, std::function<void(const EventPtr&)> on_event) override;
  void when_durable(Revision revision, Task task, std::function<void(const Error&)> failed) override;
  [[nodiscard]] Revision durable_revision() const override;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dray::store
