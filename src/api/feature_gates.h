/// Kubernetes' feature gates, those that something here depends on: names, stages, defaults of 1.37.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dray::api {

enum class Stage : std::uint8_t { kAlpha, kBeta, kGa, kDeprecated, kDray };  // kDray: ours

struct Gate {
  std::string_view name;
  Stage stage;
  bool enabled_by_default;
  bool locked;  // to its default
  std::span<const std::string_view> requires_;  // gates that must be on, too
};

/// All gates, sorted by name.
[[nodiscard]] std::span<const Gate> known_gates();

/// A set of switches. A value; immutable once the parts are built.
class FeatureGates {
 public:
  /// The defaults.
  FeatureGates();
  /// "A=true,B=false,AllAlpha=true": later items win, and a gate that is named wins over AllAlpha and
  /// AllBeta. Error kBadRequest with Kubernetes' text: unknown gate, wrong boolean, locked gate, or a
  /// gate that is on while one that it needs is off.
  [[nodiscard]] static Result<FeatureGates> parse(std::string_view text);
  /// A name that is not known is a bug.
  [[nodiscard]] bool enabled(std::string_view name) const;
  void set(std::string_view name, bool on);
  [[nodiscard]] const std::map<std::string, bool, std::less<>>& all() const { return on_; }

 private:
  std::map<std::string, bool, std::less<>> on_;
};

}  // namespace dray::api
