/// Finds the type of every part of an expression, and what names mean.
/// Source: cel-go checker.
#pragma once

#include "cel/ast.h"
#include "cel/environment.h"

namespace dray::cel {

/// Fills the types and references of `ast`; composed types live in `pool`. False if `issues` got
/// something. Bounded: an expression whose types explode is refused.
bool check(Ast& ast, const Environment& env, TypePool& pool, Issues& issues);

/// The checks of literals that Kubernetes adds (Environment::validate_literals, validate_formats,
/// homogeneous_literals). After `check`.
void validate(const Ast& ast, const Environment& env, Issues& issues);

}  // namespace dray::cel
