#include "store/directory_lock.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace dray::store {

Result<DirectoryLock> DirectoryLock::take(const std::string& directory) {
  const std::string path = directory + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return fail(Code::kInternal, fmt::format("data directory {} is not writable: {}", directory,
                                             std::strerror(errno)));
  }
  DirectoryLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    char holder[32] = {};
    const ssize_t size = ::read(file, holder, sizeof holder - 1);
    return fail(Code::kInternal,
                fmt::format("data directory {} is in use by another process (pid {}); it was left alone",
                            directory, size > 0 ? holder : "unknown"));
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, pid.data(), pid.size(), 0) < 0) {
    return fail(Code::kInternal, fmt::format("{}: {}", path, std::strerror(errno)));
  }
  return lock;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace dray::store
