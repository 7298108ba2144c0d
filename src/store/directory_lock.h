/// One process per data directory. Private to the store.
#pragma once

#include <string>

#include "base/error.h"

namespace dray::store {

/// Holds `<directory>/lock` until destroyed; the system lets go of it when the process dies.
class DirectoryLock {
 public:
  /// Error kInternal: another process (named, where known) holds it, or the directory is not writable.
  [[nodiscard]] static Result<DirectoryLock> take(const std::string& directory);
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_;
};

}  // namespace dray::store
