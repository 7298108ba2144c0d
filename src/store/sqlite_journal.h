/// The journal on disk: one SQLite file in a directory, written by a thread of its own in group commits.
/// The format: docs/journal-format.md.
#pragma once

#include <memory>
#include <string>

#include "api/kind.h"
#include "base/executor.h"
#include "store/journal.h"

namespace dray::store {

struct OpenedJournal {
  std::unique_ptr<Journal> journal;
  Recovered recovered;
};

/// Makes the directory and the file if they are not there, locks the directory, and reads everything.
/// Errors (kInternal): the directory is used by another process, is not writable, holds a file that is
/// damaged or of a newer format. What is there is left as it is then.
/// The executor must take tasks from other threads. The destructor writes what is queued and closes.
[[nodiscard]] Result<OpenedJournal> open_sqlite_journal(Executor& executor, const api::Registry& registry,
                                                        const std::string& directory);

}  // namespace dray::store
