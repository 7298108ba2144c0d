/// Interned names: equal texts have equal numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dray::dra {

using Symbol = std::uint32_t;
inline constexpr Symbol kNoSymbol = UINT32_MAX;

/// Never forgets. Confined to one thread.
class Symbols {
 public:
  Symbol intern(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    const auto id = static_cast<Symbol>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }
  /// kNoSymbol if it was never interned.
  [[nodiscard]] Symbol find(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? kNoSymbol : found->second;
  }
  [[nodiscard]] const std::string& text(Symbol id) const { return texts_[id]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, Symbol> ids_;  // views into texts_
};

}  // namespace dray::dra
