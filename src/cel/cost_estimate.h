/// The worst-case cost of an expression.
/// Source: cel-go checker/cost.go, apiserver/pkg/cel/library/cost.go, ext/lists.go, ext/sets.go.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"

namespace dray::cel {

/// From least to most; UINT64_MAX is no bound.
struct Range {
  std::uint64_t min = 0, max = 0;
};

/// Where a value comes from: a variable, then names of fields, "@items", "@keys", "@values".
using ValuePath = std::vector<std::string>;

/// How large the value at a path can be; none if nothing is known.
using SizeBounds = std::function<std::optional<Range>(const ValuePath&)>;

/// Of a checked expression.
[[nodiscard]] Range estimate_cost(const Ast& ast, const Environment& env, const SizeBounds& bounds);

}  // namespace dray::cel
