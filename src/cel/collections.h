/// Lists and maps that expressions make.
/// Source: cel-go common/types/list.go, map.go.
#pragma once

#include <span>

#include "cel/arena.h"
#include "cel/val.h"

namespace dray::cel {

/// Values side by side.
class ArrayList final : public ListObj {
 public:
  explicit ArrayList(std::span<const Val> values) : values_(values) {}
  [[nodiscard]] std::size_t size() const override { return values_.size(); }
  [[nodiscard]] Val at(Arena&, std::size_t index) const override { return values_[index]; }

 private:
  std::span<const Val> values_;
};

/// What `+` makes: the two lists one after the other, not copied.
class ConcatList final : public ListObj {
 public:
  ConcatList(const ListObj* left, const ListObj* right)
      : ListObj(Form::kConcat), left_(left), right_(right), left_size_(left->size()),
        size_(left->size() + right->size()) {}
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Val at(Arena& arena, std::size_t index) const override;
  [[nodiscard]] std::string_view go_type() const override { return "*types.concatList"; }

 private:
  const ListObj* left_;
  const ListObj* right_;
  std::size_t left_size_;
  std::size_t size_;
};

/// The accumulator of a comprehension: `+` appends in place.
class MutableList final : public ListObj {
 public:
  MutableList() : ListObj(Form::kMutable) {}
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Val at(Arena&, std::size_t index) const override { return values_[index]; }
  [[nodiscard]] std::string_view go_type() const override { return "*types.mutableList"; }
  void append(Arena& arena, const Val& value);
  /// What it holds now, as a list of its own.
  [[nodiscard]] const ListObj* frozen(Arena& arena) const;

 private:
  Val* values_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Keys in the order of insertion, found by hash.
class HashMap final : public MapObj {
 public:
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] bool find(Arena& arena, const Val& key, Val& value) const override;
  [[nodiscard]] Val key_at(Arena&, std::size_t index) const override { return entries_[index].key; }
  [[nodiscard]] Val value_at(Arena&, std::size_t index) const override {
    return entries_[index].value;
  }
  /// Replaces the value of an equal key.
  void set(Arena& arena, const Val& key, const Val& value);
  void erase(const Val& key);
  /// Whether there is exactly this key, of this type.
  [[nodiscard]] bool holds(const Val& key) const { return exact(key) != nullptr; }
  /// Set by the accumulator of a comprehension: insertion changes the map itself.
  bool is_mutable = false;

 private:
  struct Item {
    Val key, value;
    std::uint64_t hash;
  };
  [[nodiscard]] const Item* exact(const Val& key) const;
  void rehash(Arena& arena, std::size_t buckets);

  Item* entries_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::int32_t* buckets_ = nullptr;  // open addressing; -1: free
  std::size_t bucket_count_ = 0;
};

/// Whether two keys are the same key of a map: same type and value.
[[nodiscard]] bool same_key(const Val& a, const Val& b);
[[nodiscard]] std::uint64_t hash_key(const Val& v);

/// `a + b` for lists.
[[nodiscard]] Val concatenate(Arena& arena, const ListObj* left, const Val& right);

}  // namespace dray::cel
