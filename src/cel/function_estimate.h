/// The worst-case costs of calls to library functions.
/// Source: apiserver/pkg/cel/library/cost.go, cel-go ext/lists.go, ext/sets.go.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cel/cost_estimate.h"

namespace dray::cel {

/// An operand: its type, where it comes from, and its size if that is known.
struct Operand {
  TypeRef type = nullptr;
  const Expr* expr = nullptr;
  bool has_path = false;
  ValuePath path;
  std::optional<Range> size;
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};

/// None: the rules of the language apply. `target` is null in calls of global functions.
[[nodiscard]] std::optional<CallEstimate> estimate_function(
    const Environment& env, const SizeBounds& bounds, const std::string& function,
    const std::string& overload, const Operand* target, std::span<const Operand> args);

}  // namespace dray::cel
