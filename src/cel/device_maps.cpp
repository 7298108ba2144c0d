#include "cel/device_maps.h"

#include "cel/collections.h"
#include "cel/semver.h"

namespace dray::cel {
namespace {

/// A list attribute; elements are made when asked for.
class ListAttribute final : public ListObj {
 public:
  explicit ListAttribute(const DeviceInput::Entry& entry) : entry_(entry) {}
  [[nodiscard]] std::size_t size() const override {
    switch (entry_.kind) {
      case DeviceInput::Kind::kInts: return entry_.ints->size();
      case DeviceInput::Kind::kBools: return entry_.bools->size();
      default: return entry_.strings->size();
    }
  }
  [[nodiscard]] Val at(Arena&, std::size_t index) const override {
    switch (entry_.kind) {
      case DeviceInput::Kind::kInts: return Val::of_int((*entry_.ints)[index]);
      case DeviceInput::Kind::kBools: return Val::of((*entry_.bools)[index]);
      case DeviceInput::Kind::kStrings: return Val::of_string((*entry_.strings)[index]);
      default: return Val::of_semver(entry_.versions + index);
    }
  }
  [[nodiscard]] std::string_view go_type() const override {
    switch (entry_.kind) {
      case DeviceInput::Kind::kInts: return "[]int64";
      case DeviceInput::Kind::kBools: return "[]bool";
      case DeviceInput::Kind::kStrings: return "[]string";
      default: return "[]cel.Semver";
    }
  }

 private:
  const DeviceInput::Entry& entry_;
};

}  // namespace

Val entry_value(Arena& arena, const DeviceInput::Entry& e) {
  switch (e.kind) {
    case DeviceInput::Kind::kInt: return Val::of_int(e.integer);
    case DeviceInput::Kind::kBool: return Val::of(e.integer != 0);
    case DeviceInput::Kind::kString: return Val::of_string(e.text);
    case DeviceInput::Kind::kVersion: return Val::of_semver(e.versions);
    case DeviceInput::Kind::kQuantity: return Val::of_quantity(e.quantity);
    default: return Val::of_list(arena.make<ListAttribute>(e));
  }
}

bool NamesMap::find(Arena& arena, const Val& key, Val& value) const {
  if (!key.is(ValKind::kString)) return false;
  for (const DeviceInput::Entry& e : entries_) {
    if (e.name != key.text()) continue;
    value = entry_value(arena, e);
    return true;
  }
  return false;
}

DomainsMap::DomainsMap(std::span<const DeviceInput::Entry> entries, bool capacity)
    : entries_(entries), size_(0), capacity_(capacity) {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    size_ += i == 0 || entries_[i].domain != entries_[i - 1].domain;
}

std::size_t DomainsMap::start_of(std::size_t index) const {
  std::size_t at = 0;
  for (std::size_t i = 1; i < entries_.size() && index > 0; ++i) {
    if (entries_[i].domain == entries_[i - 1].domain) continue;
    at = i;
    --index;
  }
  return at;
}

bool DomainsMap::find(Arena& arena, const Val& key, Val& value) const {
  const auto names = key.is(ValKind::kString) ? DeviceInput::domain_of(entries_, key.text())
                                              : std::span<const DeviceInput::Entry>{};
  value = Val::of_map(arena.make<NamesMap>(names, capacity_));
  return true;
}

bool DomainsMap::contains(Arena&, const Val& key) const {
  return key.is(ValKind::kString) && !DeviceInput::domain_of(entries_, key.text()).empty();
}

Val DomainsMap::key_at(Arena&, std::size_t index) const {
  return Val::of_string(entries_[start_of(index)].domain);
}

Val DomainsMap::value_at(Arena& arena, std::size_t index) const {
  const auto names = DeviceInput::domain_of(entries_, entries_[start_of(index)].domain);
  return Val::of_map(arena.make<NamesMap>(names, capacity_));
}

bool DeviceMap::find(Arena& arena, const Val& key, Val& value) const {
  if (!key.is(ValKind::kString)) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    if (key_at(arena, i).text() != key.text()) continue;
    value = value_at(arena, i);
    return true;
  }
  return false;
}

Val DeviceMap::key_at(Arena&, std::size_t index) const {
  static constexpr std::string_view kNames[] = {"allowMultipleAllocations", "attributes",
                                                "capacity", "driver"};
  return Val::of_string(kNames[index]);
}

Val DeviceMap::value_at(Arena&, std::size_t index) const {
  switch (index) {
    case 0: return Val::of(device_.allow_multiple_allocations());
    case 1: return Val::of_map(&attributes_);
    case 2: return Val::of_map(&capacity_);
    default: return Val::of_string(device_.driver());
  }
}

}  // namespace dray::cel
