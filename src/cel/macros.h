/// Calls that become other syntax before anything is checked: has, all, exists, map, cel.bind, ...
/// Source: cel-go parser/macro.go, ext/comprehensions.go, ext/bindings.go, cel/library.go.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"

namespace dray::cel {

inline constexpr std::string_view kAccumulator = "@result";
inline constexpr std::string_view kUnusedVariable = "#unused";

/// Builds nodes at the place of the macro's call. Ids are given in the order of the calls.
class MacroBuilder {
 public:
  MacroBuilder(Ast& ast, int call_id) : ast_(ast), call_id_(call_id) {}

  Expr* literal(Literal value);
  Expr* ident(std::string_view name);
  Expr* accumulator() { return ident(kAccumulator); }
  Expr* list(std::vector<Expr*> elements = {});
  Expr* map();
  Expr* call(std::string_view function, std::vector<Expr*> args);
  Expr* member_call(std::string_view function, Expr* target, std::vector<Expr*> args = {});
  Expr* presence_test(Expr* operand, std::string_view field);
  Expr* fold(Fold fold);
  /// A deep copy with new ids.
  Expr* copy(const Expr* e);

 private:
  Expr* make(ExprKind kind);
  Ast& ast_;
  int call_id_;
};

/// Neither expression nor error: the call stays as it is.
struct Expansion {
  Expr* expr = nullptr;
  std::string error;
  int error_at = 0;  // id of what is wrong
};

struct Macro {
  std::string_view name;
  int arg_count;  // -1: any
  bool receiver;
  Expansion (*expand)(MacroBuilder& build, Expr* target, std::span<Expr* const> args);
};

/// has, all, exists, exists_one, existsOne, map, filter.
[[nodiscard]] std::span<const Macro> standard_macros();
/// The forms with two variables.
[[nodiscard]] std::span<const Macro> two_variable_macros();
[[nodiscard]] std::span<const Macro> bind_macros();
[[nodiscard]] std::span<const Macro> optional_macros();
[[nodiscard]] std::span<const Macro> list_macros();
[[nodiscard]] std::span<const Macro> math_macros();

}  // namespace dray::cel
