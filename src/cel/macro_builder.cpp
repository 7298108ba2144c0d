#include <utility>

#include "cel/macros.h"

namespace dray::cel {

Expr* MacroBuilder::make(ExprKind kind) {
  return ast_.make(ast_.new_id(ast_.offset_of(call_id_)), kind);
}

Expr* MacroBuilder::literal(Literal value) {
  Expr* e = make(ExprKind::kLiteral);
  e->literal = std::move(value);
  return e;
}

Expr* MacroBuilder::ident(std::string_view name) {
  Expr* e = make(ExprKind::kIdent);
  e->name = name;
  return e;
}

Expr* MacroBuilder::list(std::vector<Expr*> elements) {
  Expr* e = make(ExprKind::kList);
  e->args = std::move(elements);
  return e;
}

Expr* MacroBuilder::map() { return make(ExprKind::kMap); }

Expr* MacroBuilder::call(std::string_view function, std::vector<Expr*> args) {
  return member_call(function, nullptr, std::move(args));
}

Expr* MacroBuilder::member_call(std::string_view function, Expr* target,
                                std::vector<Expr*> args) {
  Expr* e = make(ExprKind::kCall);
  e->name = function;
  e->operand = target;
  e->args = std::move(args);
  return e;
}

Expr* MacroBuilder::presence_test(Expr* operand, std::string_view field) {
  Expr* e = make(ExprKind::kSelect);
  e->name = field;
  e->operand = operand;
  e->test_only = true;
  return e;
}

Expr* MacroBuilder::fold(Fold fold) {
  Expr* e = make(ExprKind::kFold);
  e->fold = std::make_unique<Fold>(std::move(fold));
  return e;
}

Expr* MacroBuilder::copy(const Expr* e) {
  Expr* out = ast_.make(ast_.new_id(ast_.offset_of(e->id)), e->kind);
  out->name = e->name;
  out->literal = e->literal;
  out->test_only = e->test_only;
  out->optional = e->optional;
  if (e->kind == ExprKind::kCall) {
    for (const Expr* arg : e->args) out->args.push_back(copy(arg));
    if (e->operand != nullptr) out->operand = copy(e->operand);
    return out;
  }
  if (e->operand != nullptr) out->operand = copy(e->operand);
  for (const Expr* element : e->args) out->args.push_back(copy(element));
  for (const Entry& entry : e->entries) {
    Entry to{ast_.new_id(ast_.offset_of(call_id_)), nullptr, entry.field, nullptr, entry.optional};
    if (entry.key != nullptr) to.key = copy(entry.key);
    to.value = copy(entry.value);
    out->entries.push_back(std::move(to));
  }
  if (e->fold) {
    const Fold& from = *e->fold;
    Fold to{from.variable, from.variable2, from.accumulator, {}, {}, {}, {}, {}};
    to.range = copy(from.range);
    to.init = copy(from.init);
    to.condition = copy(from.condition);
    to.step = copy(from.step);
    to.result = copy(from.result);
    out->fold = std::make_unique<Fold>(std::move(to));
  }
  return out;
}

}  // namespace dray::cel
