/// The variable `device` as maps over a DeviceInput: values are made when they are read.
/// Source: dynamic-resource-allocation/cel/compile.go.
#pragma once

#include <span>

#include "cel/arena.h"
#include "cel/device.h"
#include "cel/val.h"

namespace dray::cel {

/// The value of an attribute or capacity. Lists are made in the arena, everything else is borrowed.
[[nodiscard]] Val entry_value(Arena& arena, const DeviceInput::Entry& entry);

/// The names of one domain.
class NamesMap final : public MapObj {
 public:
  NamesMap(std::span<const DeviceInput::Entry> entries, bool capacity)
      : entries_(entries), capacity_(capacity) {}
  [[nodiscard]] std::size_t size() const override { return entries_.size(); }
  [[nodiscard]] bool find(Arena& arena, const Val& key, Val& value) const override;
  [[nodiscard]] Val key_at(Arena&, std::size_t index) const override {
    return Val::of_string(entries_[index].name);
  }
  [[nodiscard]] Val value_at(Arena& arena, std::size_t index) const override {
    return entry_value(arena, entries_[index]);
  }
  [[nodiscard]] std::string_view go_type() const override {
    return capacity_ ? "map[string]cel.Quantity" : "map[string]interface {}";
  }

 private:
  std::span<const DeviceInput::Entry> entries_;
  bool capacity_;
};

/// The domains. A lookup of one that is not there finds an empty map.
class DomainsMap final : public MapObj {
 public:
  DomainsMap(std::span<const DeviceInput::Entry> entries, bool capacity);
  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] bool find(Arena& arena, const Val& key, Val& value) const override;
  [[nodiscard]] Val key_at(Arena&, std::size_t index) const override;
  [[nodiscard]] Val value_at(Arena& arena, std::size_t index) const override;
  [[nodiscard]] bool contains(Arena& arena, const Val& key) const override;
  [[nodiscard]] std::string_view go_type() const override { return "cel.mapper"; }
  [[nodiscard]] std::span<const DeviceInput::Entry> entries() const { return entries_; }

 private:
  [[nodiscard]] std::size_t start_of(std::size_t index) const;
  std::span<const DeviceInput::Entry> entries_;
  std::size_t size_;
  bool capacity_;
};

/// driver, attributes, capacity, allowMultipleAllocations.
class DeviceMap final : public MapObj {
 public:
  explicit DeviceMap(const DeviceInput& device)
      : device_(device), attributes_(device.attributes(), false), capacity_(device.capacity(), true) {}
  [[nodiscard]] std::size_t size() const override { return 4; }
  [[nodiscard]] bool find(Arena& arena, const Val& key, Val& value) const override;
  [[nodiscard]] Val key_at(Arena&, std::size_t index) const override;
  [[nodiscard]] Val value_at(Arena& arena, std::size_t index) const override;
  [[nodiscard]] std::string_view go_type() const override { return "map[string]interface {}"; }

 private:
  const DeviceInput& device_;
  DomainsMap attributes_, capacity_;
};

}  // namespace dray::cel
