/// An optional struct: one pointer, value semantics. Its copy and destructor are compiled once, beside
/// the struct's descriptor table (machinery/box_impl.h), so that a Pod is cheap to name in a header.
#pragma once

#include <cstddef>
#include <utility>

namespace dray {

template <class T>
class Box {
 public:
  Box() = default;
  Box(std::nullptr_t) {}
  Box(const Box& other);
  Box(Box&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Box& operator=(const Box& other);
  Box& operator=(Box&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Box();

  /// Replaces the content by a default one, and returns it.
  T& emplace();
  void reset();
  /// The content, made if absent.
  T& ensure() { return value_ ? *value_ : emplace(); }
  Box& operator=(const T& value);

  explicit operator bool() const { return value_ != nullptr; }
  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return value_; }
  T* operator->() { return value_; }
  [[nodiscard]] const T* get() const { return value_; }
  [[nodiscard]] T* get() { return value_; }

 private:
  T* value_ = nullptr;
};

}  // namespace dray
