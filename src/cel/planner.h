/// A syntax tree to steps that can be evaluated.
/// Source: cel-go interpreter/planner.go, cel/program.go.
#pragma once

#include <memory>
#include <string>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/node.h"

namespace dray::cel {

/// Immutable once made, shared between threads.
struct Plan {
  /// Memory of constants; declared first, so that it outlives the steps.
  std::unique_ptr<Eval> constants;
  NodePtr root;
  int id_end = 0;
  int slot_count = 0;
};

/// With `optimize`, constants are folded and constant patterns compiled, as Kubernetes does. An
/// expression that was not checked is planned by names alone. False and why it can't be planned.
bool plan(const Ast& ast, const Environment& env, bool optimize, Plan& out, std::string& error);

}  // namespace dray::cel
