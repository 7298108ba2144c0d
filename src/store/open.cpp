#include "store/open.h"

#include "store/sqlite_journal.h"

namespace dray::store {

std::unique_ptr<Store> open_ephemeral(Executor& executor, StoreOptions options) {
  return std::make_unique<MemoryStore>(executor, options);
}

Result<std::unique_ptr<Store>> open_durable(Executor& executor, const api::Registry& registry,
                                            const std::string& directory, StoreOptions options) {
  TRY_ASSIGN(OpenedJournal opened, open_sqlite_journal(executor, registry, directory));
  return std::make_unique<MemoryStore>(executor, options, std::move(opened.journal),
                                       std::move(opened.recovered));
}

}  // namespace dray::store
