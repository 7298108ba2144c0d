/// matchAttribute and distinctAttribute while devices come and go. For this folder only.
/// Source: structured/internal/*/constraint.go, allocator_*.go (matchAttributeConstraint).
#pragma once

#include <cstdint>
#include <vector>

#include "dra/selector_index.h"

namespace dray::dra {

/// The devices of one constraint so far. `add` and `remove` are a stack.
class ConstraintState {
 public:
  void begin(bool match, bool lists) {
    match_ = match;
    lists_ = lists;
    values_.clear();
    common_.clear();
  }
  /// Whether a device with this value (not kNoValue) may join; if so, it has.
  bool add(const SelectorIndex& index, ValueId value);
  void remove();

  [[nodiscard]] bool match() const { return match_; }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  /// Whether a device with this value could join now.
  [[nodiscard]] bool admits(const SelectorIndex& index, ValueId value) const;
  /// Appends what decides about further devices: equal parts, equal decisions.
  void append_key(std::vector<std::uint64_t>& key) const;
  bool operator==(const ConstraintState&) const = default;

 private:
  [[nodiscard]] bool intersects(const SelectorIndex& index, ValueId value,
                                std::vector<std::uint32_t>* common) const;
  bool match_ = false;
  bool lists_ = false;
  std::vector<ValueId> values_;
  std::vector<std::vector<std::uint32_t>> common_;  // match with lists: running intersection
};

}  // namespace dray::dra
