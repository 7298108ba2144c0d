/// Cases of the public CEL test suite: types, declarations and values out of their JSON forms.
#pragma once

#include <memory>
#include <string>

#include "cel/environment.h"
#include "cel/eval.h"
#include "machinery/value.h"

namespace dray::cel::test {

/// {"primitive": "INT64"}, {"listType": {...}}, ...; null if it needs a message.
TypeRef type_from_json(TypePool& pool, const Value& v);
/// Adds the variables and functions of "typeEnv". False if one needs a message.
bool declare(Environment& env, const Value& declarations);
/// {"int64Value": "1"}, ...; false if it needs a message.
bool value_from_json(Arena& arena, const Value& v, Val& out);
/// The same value always has the same text.
std::string canonical(const Value& v);
/// Whether the case is about protocol buffer messages.
bool needs_messages(const Value& original);
/// cel.block, cel.index, cel.iterVar, cel.accuVar, as nested bindings.
std::span<const Macro> block_macros();
/// The tree as the suite writes it.
std::string tree_text(const Expr* e);

}  // namespace dray::cel::test
