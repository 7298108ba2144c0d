/// The two stores: in memory alone, and with a journal on disk.
#pragma once

#include <memory>
#include <string>

#include "store/memory_store.h"

namespace dray::store {

[[nodiscard]] std::unique_ptr<Store> open_ephemeral(Executor& executor, StoreOptions options = {});

/// Reads back what is in the directory, which is made if it is not there. Errors say what is wrong with
/// it and change nothing; see open_sqlite_journal. The executor must take tasks from other threads.
[[nodiscard]] Result<std::unique_ptr<Store>> open_durable(Executor& executor, const api::Registry& registry,
                                                          const std::string& directory,
                                                          StoreOptions options = {});

}  // namespace dray::store
