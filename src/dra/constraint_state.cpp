#include "dra/constraint_state.h"

#include <algorithm>
#include <iterator>

namespace dray::dra {

bool ConstraintState::intersects(const SelectorIndex& index, ValueId value,
                                 std::vector<std::uint32_t>* common) const {
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(common_.back(), index.value(value).elements, std::back_inserter(both));
  const bool some = !both.empty();
  if (common != nullptr) *common = std::move(both);
  return some;
}

bool ConstraintState::admits(const SelectorIndex& index, ValueId value) const {
  if (value >= kNoValue - 2) return false;  // missing, not evaluated, or failed
  const AttributeValue& of = index.value(value);
  if (lists_) {
    if (of.elements.empty()) return false;
    if (match_) return values_.empty() || intersects(index, value, nullptr);
    return std::ranges::none_of(values_, [&](ValueId other) {
      std::vector<std::uint32_t> both;
      std::ranges::set_intersection(index.value(other).elements, of.elements, std::back_inserter(both));
      return !both.empty();
    });
  }
  if (values_.empty()) return true;
  // The first device is not looked at; a list never agrees, and never differs.
  if (of.list) return false;
  if (match_) return values_[0] == value;
  return std::ranges::find(values_, value) == values_.end();
}

bool ConstraintState::add(const SelectorIndex& index, ValueId value) {
  if (!admits(index, value)) return false;
  if (lists_ && match_) {
    if (values_.empty()) {
      common_.push_back(index.value(value).elements);
    } else {
      std::vector<std::uint32_t> both;
      if (intersects(index, value, &both)) common_.push_back(std::move(both));
    }
  }
  values_.push_back(value);
  return true;
}

void ConstraintState::remove() {
  values_.pop_back();
  if (lists_ && match_) common_.pop_back();
}

void ConstraintState::append_key(std::vector<std::uint64_t>& key) const {
  key.push_back(UINT64_MAX);
  if (values_.empty()) return;
  if (match_) {
    if (!lists_) {
      key.push_back(values_[0]);
    } else {
      key.insert(key.end(), common_.back().begin(), common_.back().end());
    }
    return;
  }
  const auto first = static_cast<std::ptrdiff_t>(key.size());
  key.insert(key.end(), values_.begin(), values_.end());
  std::sort(key.begin() + first, key.end());
}

}  // namespace dray::dra
