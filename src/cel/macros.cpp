#include "cel/macros.h"

#include <array>

#include <fmt/format.h>

namespace dray::cel {
namespace {

using Args = std::span<Expr* const>;

Expansion failure(const Expr* at, std::string message) { return {nullptr, std::move(message), at->id}; }

/// The variables of a macro: one or two names at the start of its arguments.
struct Variables {
  std::string first, second;
  Expansion error;
  bool ok = false;
};

bool is_accumulator(const std::string& name) {
  return name == kAccumulator || name == "__result__";
}

Variables one_variable(Args args, const char* not_a_name) {
  if (args[0]->kind != ExprKind::kIdent) return {{}, {}, failure(args[0], not_a_name)};
  if (is_accumulator(args[0]->name))
    return {{}, {}, failure(args[0], "iteration variable overwrites accumulator variable")};
  return {args[0]->name, {}, {}, true};
}

Variables two_variables(Args args) {
  for (const Expr* arg : args.first(2))
    if (arg->kind != ExprKind::kIdent)
      return {{}, {}, failure(arg, "argument must be a simple name")};
  if (args[0]->name == args[1]->name)
    return {{}, {}, failure(args[1], "duplicate variable name: " + args[0]->name)};
  for (const Expr* arg : args.first(2))
    if (is_accumulator(arg->name))
      return {{}, {}, failure(arg, "iteration variable overwrites accumulator variable")};
  return {args[0]->name, args[1]->name, {}, true};
}

enum class Quantifier { kAll, kExists, kExistsOne };

Expansion quantifier(Quantifier which, MacroBuilder& b, Expr* target, Variables v, Expr* test) {
  if (!v.ok) return v.error;
  Fold f{v.first, v.second, std::string(kAccumulator), target, {}, {}, {}, {}};
  switch (which) {
    case Quantifier::kAll: {
      f.init = b.literal(Literal::of_bool(true));
      Expr* accu = b.accumulator();
      f.condition = b.call("@not_strictly_false", {accu});
      accu = b.accumulator();
      f.step = b.call("_&&_", {accu, test});
      f.result = b.accumulator();
      break;
    }
    case Quantifier::kExists: {
      f.init = b.literal(Literal::of_bool(false));
      Expr* accu = b.accumulator();
      Expr* negated = b.call("!_", {accu});
      f.condition = b.call("@not_strictly_false", {negated});
      accu = b.accumulator();
      f.step = b.call("_||_", {accu, test});
      f.result = b.accumulator();
      break;
    }
    case Quantifier::kExistsOne: {
      f.init = b.literal(Literal::of_int(0));
      f.condition = b.literal(Literal::of_bool(true));
      Expr* accu = b.accumulator();
      Expr* one = b.literal(Literal::of_int(1));
      Expr* more = b.call("_+_", {accu, one});
      Expr* same = b.accumulator();
      f.step = b.call("_?_:_", {test, more, same});
      accu = b.accumulator();
      one = b.literal(Literal::of_int(1));
      f.result = b.call("_==_", {accu, one});
      break;
    }
  }
  return {b.fold(std::move(f)), {}, 0};
}

template <Quantifier Which>
Expansion quantify(MacroBuilder& b, Expr* target, Args args) {
  return quantifier(Which, b, target, one_variable(args, "argument must be a simple name"), args[1]);
}

template <Quantifier Which>
Expansion quantify2(MacroBuilder& b, Expr* target, Args args) {
  return quantifier(Which, b, target, two_variables(args), args[2]);
}

Expansion has(MacroBuilder& b, Expr*, Args args) {
  if (args[0]->kind != ExprKind::kSelect)
    return failure(args[0], "invalid argument to has() macro");
  return {b.presence_test(args[0]->operand, args[0]->name), {}, 0};
}

Expansion map(MacroBuilder& b, Expr* target, Args args) {
  const Variables v = one_variable(args, "argument is not an identifier");
  if (!v.ok) return v.error;
  Expr* filter = args.size() == 3 ? args[1] : nullptr;
  Fold f{v.first, {}, std::string(kAccumulator), target, {}, {}, {}, {}};
  f.init = b.list();
  f.condition = b.literal(Literal::of_bool(true));
  Expr* accu = b.accumulator();
  Expr* element = b.list({args.back()});
  f.step = b.call("_+_", {accu, element});
  if (filter != nullptr) {
    accu = b.accumulator();
    f.step = b.call("_?_:_", {filter, f.step, accu});
  }
  f.result = b.accumulator();
  return {b.fold(std::move(f)), {}, 0};
}

Expansion filter(MacroBuilder& b, Expr* target, Args args) {
  const Variables v = one_variable(args, "argument is not an identifier");
  if (!v.ok) return v.error;
  Fold f{v.first, {}, std::string(kAccumulator), target, {}, {}, {}, {}};
  f.init = b.list();
  f.condition = b.literal(Literal::of_bool(true));
  Expr* accu = b.accumulator();
  Expr* element = b.list({args[0]});
  Expr* more = b.call("_+_", {accu, element});
  accu = b.accumulator();
  f.step = b.call("_?_:_", {args[1], more, accu});
  f.result = b.accumulator();
  return {b.fold(std::move(f)), {}, 0};
}

/// transformList, transformMap, transformMapEntry: they differ in what is accumulated how.
enum class Transform { kList, kMap, kEntry };

template <Transform Which>
Expansion transform(MacroBuilder& b, Expr* target, Args args) {
  const Variables v = two_variables(args);
  if (!v.ok) return v.error;
  Expr* filter = args.size() == 4 ? args[2] : nullptr;
  Expr* value = args.back();
  Fold f{v.first, v.second, std::string(kAccumulator), target, {}, {}, {}, {}};
  Expr* accu = b.accumulator();
  if constexpr (Which == Transform::kList) {
    Expr* element = b.list({value});
    f.step = b.call("_+_", {accu, element});
  } else if constexpr (Which == Transform::kMap) {
    Expr* key = b.ident(v.first);
    f.step = b.call("cel.@mapInsert", {accu, key, value});
  } else {
    f.step = b.call("cel.@mapInsert", {accu, value});
  }
  if (filter != nullptr) {
    accu = b.accumulator();
    f.step = b.call("_?_:_", {filter, f.step, accu});
  }
  f.init = Which == Transform::kList ? b.list() : b.map();
  f.condition = b.literal(Literal::of_bool(true));
  f.result = b.accumulator();
  return {b.fold(std::move(f)), {}, 0};
}

/// `result` with `name` bound to `init`, which is evaluated when it is first used.
Expr* bound(MacroBuilder& b, const std::string& name, Expr* empty, Expr* init, Expr* result) {
  Fold f{std::string(kUnusedVariable), {}, name, empty, init, {}, {}, result};
  f.condition = b.literal(Literal::of_bool(false));
  f.step = b.ident(name);
  return b.fold(std::move(f));
}

Expansion bind(MacroBuilder& b, Expr* target, Args args) {
  if (target->kind != ExprKind::kIdent || target->name != "cel") return {};
  if (args[0]->kind != ExprKind::kIdent)
    return failure(args[0], "cel.bind() variable names must be simple identifiers");
  Expr* empty = b.list();
  return {bound(b, args[0]->name, empty, args[1], args[2]), {}, 0};
}

template <bool Flat>
Expansion opt_map(MacroBuilder& b, Expr* target, Args args) {
  if (args[0]->kind != ExprKind::kIdent)
    return failure(args[0], fmt::format("opt{}Map() variable name must be a simple identifier",
                                        Flat ? "Flat" : ""));
  Expr* has_value = b.member_call("hasValue", target);
  Expr* empty = b.list();
  Expr* same = b.copy(target);
  Expr* value = b.member_call("value", same);
  Expr* mapped = bound(b, args[0]->name, empty, value, args[1]);
  if (!Flat) mapped = b.call("optional.of", {mapped});
  Expr* none = b.call("optional.none", {});
  return {b.call("_?_:_", {has_value, mapped, none}), {}, 0};
}

Expansion sort_by(MacroBuilder& b, Expr* target, Args args) {
  const std::string name = "@__sortBy_input__";
  Expr* input = b.ident(name);
  if (target->kind == ExprKind::kLiteral || target->kind == ExprKind::kMap ||
      target->kind == ExprKind::kStruct)
    return failure(target,
                   "sortBy can only be applied to a list, identifier, comprehension, call or "
                   "select expression");
  Expansion keys = map(b, b.copy(input), args);
  if (keys.expr == nullptr) return keys;
  Expr* same = b.copy(input);
  Expr* sorted = b.member_call("@sortByAssociatedKeys", same, {keys.expr});
  Fold f{std::string(kUnusedVariable), {}, name, {}, target, {}, input, sorted};
  f.range = b.list();
  f.condition = b.literal(Literal::of_bool(false));
  return {b.fold(std::move(f)), {}, 0};
}

}  // namespace

std::span<const Macro> standard_macros() {
  static constexpr std::array kMacros{
      Macro{"has", 1, false, has},
      Macro{"all", 2, true, quantify<Quantifier::kAll>},
      Macro{"exists", 2, true, quantify<Quantifier::kExists>},
      Macro{"exists_one", 2, true, quantify<Quantifier::kExistsOne>},
      Macro{"existsOne", 2, true, quantify<Quantifier::kExistsOne>},
      Macro{"map", 2, true, map},
      Macro{"map", 3, true, map},
      Macro{"filter", 2, true, filter},
  };
  return kMacros;
}

std::span<const Macro> two_variable_macros() {
  static constexpr std::array kMacros{
      Macro{"all", 3, true, quantify2<Quantifier::kAll>},
      Macro{"exists", 3, true, quantify2<Quantifier::kExists>},
      Macro{"existsOne", 3, true, quantify2<Quantifier::kExistsOne>},
      Macro{"exists_one", 3, true, quantify2<Quantifier::kExistsOne>},
      Macro{"transformList", 3, true, transform<Transform::kList>},
      Macro{"transformList", 4, true, transform<Transform::kList>},
      Macro{"transformMap", 3, true, transform<Transform::kMap>},
      Macro{"transformMap", 4, true, transform<Transform::kMap>},
      Macro{"transformMapEntry", 3, true, transform<Transform::kEntry>},
      Macro{"transformMapEntry", 4, true, transform<Transform::kEntry>},
  };
  return kMacros;
}

std::span<const Macro> bind_macros() {
  static constexpr std::array kMacros{Macro{"bind", 3, true, bind}};
  return kMacros;
}

std::span<const Macro> optional_macros() {
  static constexpr std::array kMacros{
      Macro{"optMap", 2, true, opt_map<false>},
      Macro{"optFlatMap", 2, true, opt_map<true>},
  };
  return kMacros;
}

std::span<const Macro> list_macros() {
  static constexpr std::array kMacros{Macro{"sortBy", 2, true, sort_by}};
  return kMacros;
}

}  // namespace dray::cel
