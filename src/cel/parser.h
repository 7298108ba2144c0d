/// Tokens to a syntax tree, with macros expanded.
/// Source: cel-go parser (grammar, limits, ids of nodes, error places).
#pragma once

#include <span>
#include <vector>

#include "cel/ast.h"
#include "cel/macros.h"

namespace dray::cel {

struct ParserOptions {
  std::vector<Macro> macros;
  /// a.?b, a[?b], [?a], {?a: b}
  bool optional_syntax = false;
};

inline constexpr int kRecursionMax = 250;
inline constexpr int kExpressionSizeMax = 100'000;

/// Parses the source of `ast` into its root. False if `issues` got something.
bool parse(Ast& ast, const ParserOptions& options, Issues& issues);

/// The text of a quoted literal. False and the reason if an escape is none.
bool unescape(std::string_view literal, bool is_bytes, std::string& out, std::string& error);

}  // namespace dray::cel
