/// The function libraries. Each adds its declarations and implementations to an environment.
#pragma once

#include "cel/environment.h"

namespace dray::cel {

/// Operators, conversions, strings, time. Source: cel-go common/stdlib.
void add_standard(Environment& env);
/// optional.of, a.?b, a[?b], orValue. Source: cel-go cel/library.go.
void add_optionals(Environment& env);
/// Comprehensions with two variables. Source: cel-go ext/comprehensions.go.
void add_two_variables(Environment& env);
/// cel.bind. Source: cel-go ext/bindings.go.
void add_bindings(Environment& env);
/// Source: cel-go ext/strings.go; up to version 2, which Kubernetes has, or all.
void add_strings(Environment& env, bool newest = false);
/// Source: cel-go ext/sets.go.
void add_sets(Environment& env);
/// slice, flatten, distinct, sort, ... Source: cel-go ext/lists.go, version 3.
void add_lists(Environment& env);
/// math.greatest, math.bitAnd, ... Source: cel-go ext/math.go.
void add_math(Environment& env);
/// base64. Source: cel-go ext/encoders.go.
void add_encoders(Environment& env);

// Kubernetes' own: apiserver/pkg/cel/library.

/// isSorted, sum, min, max, indexOf; `includes` since version 1.
void add_kubernetes_lists(Environment& env, bool includes);
void add_includes(Environment& env);
void add_quantity(Environment& env);
void add_semver(Environment& env);
void add_ip(Environment& env);
void add_cidr(Environment& env);
void add_url(Environment& env);
void add_named_formats(Environment& env);
/// Declared only: there is no authorizer for devices.
void add_authorizer(Environment& env);

}  // namespace dray::cel
