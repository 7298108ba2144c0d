/// Sets of completion indexes as a Job's status writes them: "1,3-5,7". A value.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace dray::controllers {

class IndexSet {
 public:
  IndexSet() = default;
  /// What is not of the form is left out, and so are indexes beyond `completions`.
  [[nodiscard]] static IndexSet parse(std::string_view text, std::int32_t completions);

  void add(std::int32_t index) { indexes_.insert(index); }
  [[nodiscard]] bool contains(std::int32_t index) const { return indexes_.contains(index); }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(indexes_.size()); }
  [[nodiscard]] std::string str() const;

 private:
  std::set<std::int32_t> indexes_;
};

}  // namespace dray::controllers
