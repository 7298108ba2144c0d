#include "cel/libraries.h"
#include "cel/quantity_limits.h"
#include "machinery/quantity.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

/// The reference never finishes these, so they are errors here.
constexpr const char* kTooLarge = "quantity exponent is out of range";

Val parse(Eval& e, Args a) {
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  if (endless(a[0].text())) return Val::error(kTooLarge);
  auto q = Quantity::parse(a[0].text());
  if (!q) return e.fail(q.error().message);
  return Val::of_quantity(e.arena.own<Quantity>(std::move(*q)));
}

Val is_quantity(Eval&, Args a) {
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  return Val::of(!endless(a[0].text()) && Quantity::parse(a[0].text()).has_value());
}

bool both(Args a) { return a[0].is(ValKind::kQuantity) && a[1].is(ValKind::kQuantity); }

bool is_decimal(Eval& e, const Quantity& q) { return !q.is_inline() || e.decimals.contains(&q); }

/// In the reference a comparison with a number of many digits turns the left side into one for good.
int order(Eval& e, Args a) {
  const auto o = *a[0].quantity <=> *a[1].quantity;
  if (is_decimal(e, *a[1].quantity) && a[0].quantity->is_inline()) e.decimals.insert(a[0].quantity);
  return o < 0 ? -1 : o > 0 ? 1 : 0;
}

Val greater(Eval& e, Args a) { return both(a) ? Val::of(order(e, a) > 0) : no_such_overload(); }
Val less(Eval& e, Args a) { return both(a) ? Val::of(order(e, a) < 0) : no_such_overload(); }
Val compare_to(Eval& e, Args a) {
  return both(a) ? Val::of_int(order(e, a)) : no_such_overload();
}
Val sign(Eval&, Args a) { return Val::of_int(a[0].quantity->sign()); }
Val as_float(Eval&, Args a) { return Val::of_double(a[0].quantity->as_double()); }

bool integer_of(Eval& e, const Quantity& q, std::int64_t& out) {
  return !is_decimal(e, q) && q.as_int64(out);
}

Val is_integer(Eval& e, Args a) {
  std::int64_t ignored = 0;
  return Val::of(integer_of(e, *a[0].quantity, ignored));
}

Val as_integer(Eval& e, Args a) {
  std::int64_t out = 0;
  return integer_of(e, *a[0].quantity, out) ? Val::of_int(out)
                                            : Val::error("cannot convert value to integer");
}

Val made(Eval& e, Quantity q) {
  Val v = Val::of_quantity(e.arena.own<Quantity>(std::move(q)));
  v.flag = true;
  return v;
}

template <bool Add>
Val combine(Eval& e, Args a) {
  Quantity sum = *a[0].quantity;
  const Quantity other = a[1].is(ValKind::kQuantity)
                             ? *a[1].quantity
                             : Quantity::of(a[1].integer, 0, Quantity::Format::kDecimalExponent);
  // The smallest integer has no counterpart, so that it is added, in the reference too.
  const bool wraps = a[1].is(ValKind::kInt) && a[1].integer == INT64_MIN && sum.is_inline();
  Add || wraps ? sum += other : sum -= other;
  const bool decimal = is_decimal(e, *a[0].quantity) ||
                       (a[1].is(ValKind::kQuantity) && is_decimal(e, *a[1].quantity));
  const Val out = made(e, std::move(sum));
  if (decimal) e.decimals.insert(out.quantity);
  return out;
}

}  // namespace

void add_quantity(Environment& env) {
  const TypeRef q = env.pool.structure("kubernetes.Quantity"), text = &types::kString,
                boolean = &types::kBool, integer = &types::kInt;
  env.declare("quantity").global("string_to_quantity", {text}, q, parse);
  env.declare("isQuantity").global("is_quantity_string", {text}, boolean, is_quantity);
  env.declare("sign").global("quantity_sign", {q}, integer, sign);
  env.declare("isGreaterThan").member("quantity_is_greater_than", {q, q}, boolean, greater);
  env.declare("isLessThan").member("quantity_is_less_than", {q, q}, boolean, less);
  env.declare("compareTo").member("quantity_compare_to", {q, q}, integer, compare_to);
  env.declare("asApproximateFloat").member("quantity_get_float", {q}, &types::kDouble, as_float);
  env.declare("asInteger").member("quantity_get_int", {q}, integer, as_integer);
  env.declare("isInteger").member("quantity_is_integer", {q}, boolean, is_integer);
  env.declare("add")
      .member("quantity_add", {q, q}, q, combine<true>)
      .member("quantity_add_int", {q, integer}, q, combine<true>);
  env.declare("sub")
      .member("quantity_sub", {q, q}, q, combine<false>)
      .member("quantity_sub_int", {q, integer}, q, combine<false>);
}

}  // namespace dray::cel
