#include <cmath>

#include <fmt/format.h>

#include "cel/libraries.h"
#include "cel/ops.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

Val same(Eval&, Args a) { return a[0]; }

template <double (*F)(double)>
Val of_double(Eval&, Args a) {
  return Val::of_double(F(a[0].number));
}
double ceiling(double d) { return std::ceil(d); }
double floor_of(double d) { return std::floor(d); }
double rounded(double d) { return std::round(d); }
double truncated(double d) { return std::trunc(d); }
double absolute(double d) { return std::fabs(d); }

template <bool (*F)(double)>
Val test(Eval&, Args a) {
  return Val::of(F(a[0].number));
}
bool infinite(double d) { return std::isinf(d); }
bool nan(double d) { return std::isnan(d); }
bool finite(double d) { return std::isfinite(d); }

Val abs_int(Eval&, Args a) {
  if (a[0].integer == INT64_MIN) return Val::error("integer overflow");
  return Val::of_int(std::abs(a[0].integer));
}

Val sign(Eval&, Args a) {
  switch (a[0].kind) {
    case ValKind::kDouble: {
      const double d = a[0].number;
      return std::isnan(d) ? a[0] : Val::of_double(d > 0 ? 1 : d < 0 ? -1 : 0);
    }
    case ValKind::kInt: return Val::of_int(a[0].integer > 0 ? 1 : a[0].integer < 0 ? -1 : 0);
    default: return Val::of_uint(a[0].natural != 0);
  }
}

Val square_root(Eval&, Args a) {
  switch (a[0].kind) {
    case ValKind::kDouble: return Val::of_double(std::sqrt(a[0].number));
    case ValKind::kInt: return Val::of_double(std::sqrt(static_cast<double>(a[0].integer)));
    default: return Val::of_double(std::sqrt(static_cast<double>(a[0].natural)));
  }
}

enum class Bits { kAnd, kOr, kXor, kNot };

template <Bits Op>
Val bits(Eval&, Args a) {
  Val out = a[0];
  if constexpr (Op == Bits::kAnd) out.natural &= a[1].natural;
  if constexpr (Op == Bits::kOr) out.natural |= a[1].natural;
  if constexpr (Op == Bits::kXor) out.natural ^= a[1].natural;
  if constexpr (Op == Bits::kNot) out.natural = ~out.natural;
  return out;
}

template <bool Left>
Val shift(Eval& e, Args a) {
  const std::int64_t by = a[1].integer;
  if (by < 0)
    return e.fail(fmt::format("math.bitShift{}() negative offset: {}", Left ? "Left" : "Right", by));
  Val out = a[0];
  if (by >= 64) {
    out.natural = 0;
  } else {
    out.natural = Left ? out.natural << by : out.natural >> by;
  }
  return out;
}

/// The smaller (Sign -1) or larger (Sign 1) of two; of equal ones the first.
template <int Sign>
Val better(Eval& e, const Val& a, const Val& b) {
  if ((traits_of(a) & traits::kComparer) == 0) return maybe_no_such_overload(a);
  const Val order = compare(e, a, b);
  if (order.failed()) {
    const char* name = Sign > 0 ? "math.@max" : "math.@min";
    return order.text().contains(name) ? order : e.fail(fmt::format("{}: {}", order.text(), name));
  }
  return order.integer == -Sign ? b : a;
}

template <int Sign>
Val pair(Eval& e, Args a) {
  return better<Sign>(e, a[0], a[1]);
}

template <int Sign>
Val of_list(Eval& e, Args a) {
  const char* name = Sign > 0 ? "math.@max" : "math.@min";
  const ListObj& list = *a[0].list;
  if (list.size() == 0) return e.fail(fmt::format("{}(list) argument must not be empty", name));
  Val best = list.at(e.arena, 0);
  for (std::size_t i = 1; i < list.size(); ++i) {
    e.work(1);
    best = better<Sign>(e, best, list.at(e.arena, i));
  }
  const bool number = best.is(ValKind::kInt) || best.is(ValKind::kUint) || best.is(ValKind::kDouble);
  return number || best.failed() ? best : e.fail(fmt::format("no such overload: {}", name));
}

template <int Sign>
void add_extreme(Environment& env) {
  const std::string name = Sign > 0 ? "math.@max" : "math.@min";
  const std::string id = Sign > 0 ? "math_@max_" : "math_@min_";
  struct Named {
    const char* name;
    TypeRef type;
  };
  const Named numbers[] = {{"double", &types::kDouble}, {"int", &types::kInt}, {"uint", &types::kUint}};
  auto declare = env.declare(name);
  for (const auto& [n, type] : numbers) declare.global(id + n, {type}, type, same);
  for (const auto& [n, type] : numbers)
    declare.global(id + n + "_" + n, {type, type}, type, pair<Sign>);
  for (const auto& [n, type] : numbers)
    for (const auto& [m, other] : numbers)
      if (type != other) declare.global(id + n + "_" + m, {type, other}, &types::kDyn, pair<Sign>);
  for (const auto& [n, type] : numbers)
    declare.global(id + "list_" + n, {env.pool.list(type)}, type, of_list<Sign>);
}

bool numeric(const Expr* e) {
  if (e->kind == ExprKind::kLiteral)
    return e->literal.kind == LiteralKind::kInt || e->literal.kind == LiteralKind::kUint ||
           e->literal.kind == LiteralKind::kDouble;
  return e->kind != ExprKind::kList && e->kind != ExprKind::kMap && e->kind != ExprKind::kStruct;
}

bool numeric_list(const Expr* e) {
  if (e->kind != ExprKind::kList || e->args.empty()) return false;
  for (const Expr* element : e->args)
    if (!numeric(element)) return false;
  return true;
}

template <bool Greatest>
Expansion extreme_macro(MacroBuilder& b, Expr* target, std::span<Expr* const> args) {
  if (target->kind != ExprKind::kIdent || target->name != "math") return {};
  const std::string name = Greatest ? "math.greatest()" : "math.least()";
  const char* function = Greatest ? "math.@max" : "math.@min";
  if (args.empty()) return {nullptr, name + " requires at least one argument", target->id};
  if (args.size() == 1) {
    if (!numeric(args[0]) && !numeric_list(args[0]))
      return {nullptr, name + " invalid single argument value", args[0]->id};
    return {b.call(function, {args[0]}), {}, 0};
  }
  for (const Expr* arg : args)
    if (!numeric(arg))
      return {nullptr, name + " simple literal arguments must be numeric", arg->id};
  std::vector<Expr*> list(args.begin(), args.end());
  if (list.size() > 2) list = {b.list(std::move(list))};
  return {b.call(function, std::move(list)), {}, 0};
}

}  // namespace

std::span<const Macro> math_macros() {
  static constexpr Macro kMacros[] = {{"least", -1, true, extreme_macro<false>},
                                      {"greatest", -1, true, extreme_macro<true>}};
  return kMacros;
}

void add_math(Environment& env) {
  const TypeRef number = &types::kDouble, integer = &types::kInt, natural = &types::kUint,
                boolean = &types::kBool;
  env.add_macros(math_macros());
  add_extreme<-1>(env);
  add_extreme<1>(env);
  env.declare("math.ceil").global("math_ceil_double", {number}, number, of_double<ceiling>);
  env.declare("math.floor").global("math_floor_double", {number}, number, of_double<floor_of>);
  env.declare("math.round").global("math_round_double", {number}, number, of_double<rounded>);
  env.declare("math.trunc").global("math_trunc_double", {number}, number, of_double<truncated>);
  env.declare("math.isInf").global("math_isInf_double", {number}, boolean, test<infinite>);
  env.declare("math.isNaN").global("math_isNaN_double", {number}, boolean, test<nan>);
  env.declare("math.isFinite").global("math_isFinite_double", {number}, boolean, test<finite>);
  env.declare("math.abs")
      .global("math_abs_double", {number}, number, of_double<absolute>)
      .global("math_abs_int", {integer}, integer, abs_int)
      .global("math_abs_uint", {natural}, natural, same);
  env.declare("math.sign")
      .global("math_sign_double", {number}, number, sign)
      .global("math_sign_int", {integer}, integer, sign)
      .global("math_sign_uint", {natural}, natural, sign);
  const auto both = [&](const char* function, const std::string& id, Fn fn) {
    env.declare(function)
        .global(id + "_int_int", {integer, integer}, integer, fn)
        .global(id + "_uint_uint", {natural, natural}, natural, fn);
  };
  both("math.bitAnd", "math_bitAnd", bits<Bits::kAnd>);
  both("math.bitOr", "math_bitOr", bits<Bits::kOr>);
  both("math.bitXor", "math_bitXor", bits<Bits::kXor>);
  env.declare("math.bitNot")
      .global("math_bitNot_int_int", {integer}, integer, bits<Bits::kNot>)
      .global("math_bitNot_uint_uint", {natural}, natural, bits<Bits::kNot>);
  const auto shifts = [&](const char* function, const std::string& id, Fn fn) {
    env.declare(function)
        .global(id + "_int_int", {integer, integer}, integer, fn)
        .global(id + "_uint_int", {natural, integer}, natural, fn);
  };
  shifts("math.bitShiftLeft", "math_bitShiftLeft", shift<true>);
  shifts("math.bitShiftRight", "math_bitShiftRight", shift<false>);
  env.declare("math.sqrt")
      .global("math_sqrt_double", {number}, number, square_root)
      .global("math_sqrt_int", {integer}, number, square_root)
      .global("math_sqrt_uint", {natural}, number, square_root);
}

}  // namespace dray::cel
