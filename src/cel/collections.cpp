#include "cel/collections.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cel/ip.h"

namespace dray::cel {

Val ConcatList::at(Arena& arena, std::size_t index) const {
  const ListObj* list = this;
  while (list->form() == Form::kConcat) {
    const auto* concat = static_cast<const ConcatList*>(list);
    const bool left = index < concat->left_size_;
    if (!left) index -= concat->left_size_;
    list = left ? concat->left_ : concat->right_;
  }
  return list->at(arena, index);
}

void MutableList::append(Arena& arena, const Val& value) {
  if (size_ == capacity_) {
    const std::size_t capacity = std::max<std::size_t>(4, capacity_ * 2);
    Val* values = arena.array<Val>(capacity);
    std::copy(values_, values_ + size_, values);
    values_ = values;
    capacity_ = capacity;
  }
  values_[size_++] = value;
}

const ListObj* MutableList::frozen(Arena& arena) const {
  return arena.make<ArrayList>(std::span<const Val>(values_, size_));
}

Val concatenate(Arena& arena, const ListObj* left, const Val& right) {
  if (left->size() == 0) return right;
  if (right.list->size() == 0) return Val::of_list(left);
  constexpr std::size_t kSizeMax = 50'000'000;
  if (left->size() + right.list->size() > kSizeMax)
    throw Cancelled{"operation cancelled: memory limit exceeded"};
  return Val::of_list(arena.make<ConcatList>(left, right.list));
}

bool same_key(const Val& a, const Val& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ValKind::kNull: return true;
    case ValKind::kBool: return a.boolean == b.boolean;
    case ValKind::kInt:
    case ValKind::kDuration: return a.integer == b.integer;
    case ValKind::kUint: return a.natural == b.natural;
    case ValKind::kDouble: return a.number == b.number;
    case ValKind::kString:
    case ValKind::kBytes: return a.text() == b.text();
    case ValKind::kTimestamp:
      return a.integer == b.integer && a.nanos == b.nanos && a.size == b.size;
    case ValKind::kType: return a.type->name == b.type->name;
    case ValKind::kIp:
    case ValKind::kCidr: return *a.ip == *b.ip;
    default: return a.list == b.list;  // the same object
  }
}

std::uint64_t hash_key(const Val& v) {
  std::uint64_t h = 0xcbf29ce484222325u ^ static_cast<std::uint64_t>(v.kind);
  const auto mix = [&](std::uint64_t x) {
    h = (h ^ x) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  };
  switch (v.kind) {
    case ValKind::kNull: break;
    case ValKind::kBool: mix(v.boolean); break;
    case ValKind::kInt:
    case ValKind::kDuration:
    case ValKind::kTimestamp:
    case ValKind::kUint: mix(v.natural); break;
    case ValKind::kDouble: mix(v.number == 0 ? 0 : std::bit_cast<std::uint64_t>(v.number)); break;
    case ValKind::kString:
    case ValKind::kBytes:
      for (const char c : v.text()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      mix(v.size);
      break;
    case ValKind::kType: mix(v.type->name.size()); break;
    case ValKind::kIp:
    case ValKind::kCidr: mix(v.ip->bits); break;
    default: mix(reinterpret_cast<std::uintptr_t>(v.list)); break;
  }
  return h;
}

const HashMap::Item* HashMap::exact(const Val& key) const {
  if (bucket_count_ == 0 || (key.is(ValKind::kDouble) && std::isnan(key.number))) return nullptr;
  const std::uint64_t hash = hash_key(key);
  for (std::size_t at = hash & (bucket_count_ - 1);; at = (at + 1) & (bucket_count_ - 1)) {
    if (buckets_[at] == -1) return nullptr;
    const Item& item = entries_[buckets_[at]];
    if (item.hash == hash && same_key(item.key, key)) return &item;
  }
}

bool HashMap::find(Arena&, const Val& key, Val& value) const {
  const auto answer = [&](const Val& k) {
    const Item* item = exact(k);
    if (item != nullptr) value = item->value;
    return item != nullptr;
  };
  if (answer(key)) return true;
  switch (key.kind) {
    case ValKind::kDouble: {
      const double d = key.number;
      if (d != std::trunc(d)) return false;
      if (d >= -9223372036854775808.0 && d < 9223372036854775808.0 &&
          answer(Val::of_int(static_cast<std::int64_t>(d))))
        return true;
      return d >= 0 && d < 18446744073709551616.0 &&
             answer(Val::of_uint(static_cast<std::uint64_t>(d)));
    }
    case ValKind::kInt: return key.integer >= 0 && answer(Val::of_uint(key.natural));
    case ValKind::kUint: return key.integer >= 0 && answer(Val::of_int(key.integer));
    default: return false;
  }
}

void HashMap::rehash(Arena& arena, std::size_t buckets) {
  buckets_ = arena.array<std::int32_t>(buckets);
  bucket_count_ = buckets;
  std::fill(buckets_, buckets_ + buckets, -1);
  for (std::size_t i = 0; i < size_; ++i) {
    std::size_t at = entries_[i].hash & (buckets - 1);
    while (buckets_[at] != -1) at = (at + 1) & (buckets - 1);
    buckets_[at] = static_cast<std::int32_t>(i);
  }
}

void HashMap::set(Arena& arena, const Val& key, const Val& value) {
  if (const Item* item = exact(key)) {
    const_cast<Item*>(item)->value = value;
    return;
  }
  if (size_ == capacity_) {
    const std::size_t capacity = std::max<std::size_t>(4, capacity_ * 2);
    auto* entries = static_cast<Item*>(arena.allocate(capacity * sizeof(Item)));
    std::copy(entries_, entries_ + size_, entries);
    entries_ = entries;
    capacity_ = capacity;
    rehash(arena, capacity * 2);
  }
  const std::uint64_t hash = hash_key(key);
  entries_[size_] = {key, value, hash};
  std::size_t at = hash & (bucket_count_ - 1);
  while (buckets_[at] != -1) at = (at + 1) & (bucket_count_ - 1);
  buckets_[at] = static_cast<std::int32_t>(size_++);
}

void HashMap::erase(const Val& key) {
  const Item* item = exact(key);
  if (item == nullptr) return;
  std::copy(entries_ + (item - entries_) + 1, entries_ + size_, entries_ + (item - entries_));
  --size_;
  std::fill(buckets_, buckets_ + bucket_count_, -1);
  for (std::size_t i = 0; i < size_; ++i) {
    std::size_t at = entries_[i].hash & (bucket_count_ - 1);
    while (buckets_[at] != -1) at = (at + 1) & (bucket_count_ - 1);
    buckets_[at] = static_cast<std::int32_t>(i);
  }
}

}  // namespace dray::cel
