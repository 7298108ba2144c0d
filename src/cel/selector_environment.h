/// The environments of expressions over devices, and Kubernetes' base environment.
/// Source: apiserver/pkg/cel/environment/base.go, dynamic-resource-allocation/cel/compile.go.
#pragma once

#include "cel/environment.h"
#include "cel/program.h"

namespace dray::cel {

/// An environment, with the type that attributes have in it.
struct SelectorEnvironment {
  Environment env;
  TypeRef attribute = nullptr;
};

/// Built when it is first asked for; lives forever. Thread-safe.
[[nodiscard]] const SelectorEnvironment& selector_environment(Vintage vintage, Features features);

/// Kubernetes' functions and rules, without variables.
void add_kubernetes(Environment& env, Vintage vintage);

}  // namespace dray::cel
