/// find, findAll, matches.
/// Source: apiserver/pkg/cel/library/regex.go, cel-go interpreter/optimizations.go.
#pragma once

#include <span>
#include <string_view>

#include "cel/environment.h"

namespace re2 {
class RE2;
}

namespace dray::cel {

void add_regex(Environment& env);
/// matches(text, pattern).
[[nodiscard]] Val matches(Eval& eval, std::span<const Val> args);
/// What runs instead of the function when its pattern is a constant; null: nothing.
using PatternFn = Val (*)(Eval&, std::span<const Val>, const re2::RE2&);
[[nodiscard]] PatternFn pattern_function(std::string_view function);

}  // namespace dray::cel
