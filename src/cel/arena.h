/// Memory of one evaluation, freed at once. Small evaluations never reach the heap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dray::cel {

/// Ends an evaluation that used up its budget.
struct Cancelled {
  const char* message;
};

/// Confined to one thread. What lives in it is never destroyed: no owning members.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Throws Cancelled beyond kBytesMax.
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 7) & ~std::size_t{7};
    if (bytes > static_cast<std::size_t>(end_ - at_)) grow(bytes);
    void* out = at_;
    at_ += bytes;
    return out;
  }

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(alignof(T) <= 8);
    return new (allocate(sizeof(T))) T(std::forward<Args>(args)...);
  }

  /// As make, for what has to be destroyed: it is, with the arena.
  template <class T, class... Args>
  T* own(Args&&... args) {
    auto holder = std::make_shared<T>(std::forward<Args>(args)...);
    T* out = holder.get();
    owned_.push_back(std::move(holder));
    return out;
  }

  template <class T>
  T* array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    if (count > kBytesMax / sizeof(T)) throw Cancelled{"operation cancelled: memory limit exceeded"};
    return static_cast<T*>(allocate(count * sizeof(T)));
  }

  std::string_view copy(std::string_view text) {
    char* to = array<char>(text.size() + 1);
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

 private:
  static constexpr std::size_t kBytesMax = std::size_t{256} << 20;
  void grow(std::size_t bytes) {
    if (total_ + bytes > kBytesMax) throw Cancelled{"operation cancelled: memory limit exceeded"};
    const std::size_t size = std::max({bytes, std::size_t{4096}, total_ / 2});
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    total_ += size;
    at_ = chunks_.back().get();
    end_ = at_ + size;
  }

  alignas(8) char inline_[1024];
  char* at_ = inline_;
  char* end_ = inline_ + sizeof(inline_);
  std::size_t total_ = 0;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::vector<std::shared_ptr<void>> owned_;
};

}  // namespace dray::cel
