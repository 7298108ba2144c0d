#include "cel/ops.h"

#include <cmath>
#include <compare>

#include "cel/collections.h"
#include "cel/ip.h"
#include "cel/named_format.h"
#include "cel/semver.h"
#include "cel/source.h"
#include "cel/url.h"
#include "machinery/quantity.h"

namespace dray::cel {
namespace {

Val overflow() { return Val::error("integer overflow"); }
Val unsigned_overflow() { return Val::error("unsigned integer overflow"); }

int order(auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; }

int compare_double_int(double d, std::int64_t i) {
  if (d < -9223372036854775808.0) return -1;
  if (d > 9223372036854775807.0) return 1;
  return order(d, static_cast<double>(i));
}

int compare_double_uint(double d, std::uint64_t u) {
  if (d < 0) return -1;
  if (d > 18446744073709551615.0) return 1;
  return order(d, static_cast<double>(u));
}

int compare_int_uint(std::int64_t i, std::uint64_t u) {
  if (i < 0 || u > static_cast<std::uint64_t>(INT64_MAX)) return -1;
  return order(i, static_cast<std::int64_t>(u));
}

bool is_number(const Val& v) {
  return v.is(ValKind::kInt) || v.is(ValKind::kUint) || v.is(ValKind::kDouble);
}

/// Of two numbers, neither NaN.
int compare_numbers(const Val& a, const Val& b) {
  switch (a.kind) {
    case ValKind::kInt:
      if (b.is(ValKind::kInt)) return order(a.integer, b.integer);
      if (b.is(ValKind::kUint)) return compare_int_uint(a.integer, b.natural);
      return -compare_double_int(b.number, a.integer);
    case ValKind::kUint:
      if (b.is(ValKind::kUint)) return order(a.natural, b.natural);
      if (b.is(ValKind::kInt)) return -compare_int_uint(b.integer, a.natural);
      return -compare_double_uint(b.number, a.natural);
    default:
      if (b.is(ValKind::kDouble)) return order(a.number, b.number);
      if (b.is(ValKind::kInt)) return compare_double_int(a.number, b.integer);
      return compare_double_uint(a.number, b.natural);
  }
}

bool is_nan(const Val& v) { return v.is(ValKind::kDouble) && std::isnan(v.number); }

Val equal_lists(Eval& eval, const Val& a, const Val& b) {
  if (!b.is(ValKind::kList) || a.list->size() != b.list->size()) return Val::of(false);
  const Eval::Deeper deeper(eval);
  eval.work(a.list->size());
  Val problem = Val::of(true);
  for (std::size_t i = 0; i < a.list->size(); ++i) {
    const Val same = equal(eval, a.list->at(eval.arena, i), b.list->at(eval.arena, i));
    if (same.is_false()) return same;
    if (problem.is_true() && same.failed()) problem = same;
  }
  // An element that fails counts as equal, except in a list that `+` made.
  return a.list->form() == ListObj::Form::kConcat ? problem : Val::of(true);
}

Val equal_maps(Eval& eval, const Val& a, const Val& b) {
  if (!b.is(ValKind::kMap) || a.map->size() != b.map->size()) return Val::of(false);
  const Eval::Deeper deeper(eval);
  eval.work(a.map->size());
  for (std::size_t i = 0; i < a.map->size(); ++i) {
    Val other;
    if (!b.map->find(eval.arena, a.map->key_at(eval.arena, i), other)) return Val::of(false);
    if (equal(eval, a.map->value_at(eval.arena, i), other).is_false()) return Val::of(false);
  }
  return Val::of(true);
}

Val equal_optionals(Eval& eval, const Val& a, const Val& b) {
  if (!b.is(ValKind::kOptional)) return Val::of(false);
  if (a.inner == nullptr || b.inner == nullptr) return Val::of(a.inner == b.inner);
  const Eval::Deeper deeper(eval);
  return equal_to(eval, *a.inner, *b.inner);
}

}  // namespace

Val equal(Eval& eval, const Val& a, const Val& b) {
  if (a.is(ValKind::kNull) || b.is(ValKind::kNull)) return Val::of(a.kind == b.kind);
  return equal_to(eval, a, b);
}

Val equal_to(Eval& eval, const Val& a, const Val& b) {
  const auto foreign = [&] { return maybe_no_such_overload(b); };
  switch (a.kind) {
    case ValKind::kNull: return Val::of(b.is(ValKind::kNull));
    case ValKind::kBool: return Val::of(b.is(ValKind::kBool) && a.boolean == b.boolean);
    case ValKind::kInt:
    case ValKind::kUint:
    case ValKind::kDouble:
      return Val::of(is_number(b) && !is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0);
    case ValKind::kString:
    case ValKind::kBytes: return Val::of(a.kind == b.kind && a.text() == b.text());
    case ValKind::kDuration: return Val::of(a.kind == b.kind && a.integer == b.integer);
    case ValKind::kTimestamp:
      return Val::of(a.kind == b.kind && a.integer == b.integer && a.nanos == b.nanos);
    case ValKind::kType: return Val::of(b.is(ValKind::kType) && a.type->name == b.type->name);
    case ValKind::kList: return equal_lists(eval, a, b);
    case ValKind::kMap: return equal_maps(eval, a, b);
    case ValKind::kOptional: return equal_optionals(eval, a, b);
    case ValKind::kQuantity:
      return b.is(ValKind::kQuantity) && !b.flag ? Val::of(*a.quantity == *b.quantity) : foreign();
    case ValKind::kSemver:
      return b.is(ValKind::kSemver) ? Val::of(a.semver->compare(*b.semver) == 0) : foreign();
    case ValKind::kUrl:
      return b.is(ValKind::kUrl) ? Val::of(a.url->text() == b.url->text()) : foreign();
    case ValKind::kIp:
    case ValKind::kCidr: return b.kind == a.kind ? Val::of(*a.ip == *b.ip) : foreign();
    case ValKind::kFormat: return b.kind == a.kind ? Val::of(a.format == b.format) : foreign();
    case ValKind::kError:
    case ValKind::kUnknown: return a;
  }
  return Val::of(false);
}

Val compare(Eval&, const Val& a, const Val& b) {
  const auto foreign = [&] { return maybe_no_such_overload(b); };
  switch (a.kind) {
    case ValKind::kBool:
      if (!b.is(ValKind::kBool)) return foreign();
      return Val::of_int(order(a.boolean, b.boolean));
    case ValKind::kInt:
    case ValKind::kUint:
    case ValKind::kDouble:
      if (is_nan(a) || is_nan(b)) return Val::error("NaN values cannot be ordered");
      if (!is_number(b)) return foreign();
      return Val::of_int(compare_numbers(a, b));
    case ValKind::kString:
    case ValKind::kBytes:
      if (b.kind != a.kind) return foreign();
      return Val::of_int(order(a.text().compare(b.text()), 0));
    case ValKind::kDuration:
      return b.kind == a.kind ? Val::of_int(order(a.integer, b.integer)) : foreign();
    case ValKind::kTimestamp: {
      if (b.kind != a.kind) return foreign();
      const int seconds = order(a.integer, b.integer);
      return Val::of_int(seconds != 0 ? seconds : order(a.nanos, b.nanos));
    }
    default: return no_such_overload();
  }
}

namespace {

/// A timestamp moved by nanoseconds; the zone stays.
Val move(const Val& timestamp, std::int64_t nanoseconds) {
  std::int64_t seconds = 0;
  std::int64_t nanos = timestamp.nanos + nanoseconds % 1'000'000'000;
  if (__builtin_add_overflow(timestamp.integer, nanoseconds / 1'000'000'000, &seconds))
    return overflow();
  if (nanos < 0) nanos += 1'000'000'000, --seconds;
  if (nanos >= 1'000'000'000) nanos -= 1'000'000'000, ++seconds;
  if (seconds < kMinUnixTime || seconds > kMaxUnixTime) return Val::error("timestamp overflow");
  return Val::of_timestamp(seconds, static_cast<std::int32_t>(nanos), timestamp.zone());
}

Val append(Eval& eval, const Val& a, const Val& b) {
  char* to = eval.arena.array<char>(a.size + b.size);
  if (a.size > 0) std::memcpy(to, a.chars, a.size);
  if (b.size > 0) std::memcpy(to + a.size, b.chars, b.size);
  Val out = a;
  out.chars = to;
  out.size = a.size + b.size;
  return out;
}

Val add_lists(Eval& eval, const Val& a, const Val& b) {
  if (!b.is(ValKind::kList)) return maybe_no_such_overload(b);
  if (a.list->form() != ListObj::Form::kMutable) return concatenate(eval.arena, a.list, b);
  auto* grown = const_cast<MutableList*>(static_cast<const MutableList*>(a.list));
  const std::size_t count = b.list->size();
  eval.work(count);
  for (std::size_t i = 0; i < count; ++i) grown->append(eval.arena, b.list->at(eval.arena, i));
  return a;
}

}  // namespace

Val add(Eval& eval, const Val& a, const Val& b) {
  if (a.is(ValKind::kList)) return add_lists(eval, a, b);
  if (a.is(ValKind::kDuration) && b.is(ValKind::kTimestamp)) return move(b, a.integer);
  if (a.is(ValKind::kTimestamp))
    return b.is(ValKind::kDuration) ? move(a, b.integer) : maybe_no_such_overload(b);
  if (a.kind != b.kind) return maybe_no_such_overload(b);
  std::int64_t sum = 0;
  std::uint64_t natural = 0;
  switch (a.kind) {
    case ValKind::kInt:
      return __builtin_add_overflow(a.integer, b.integer, &sum) ? overflow() : Val::of_int(sum);
    case ValKind::kDuration:
      return __builtin_add_overflow(a.integer, b.integer, &sum) ? overflow() : Val::of_duration(sum);
    case ValKind::kUint:
      return __builtin_add_overflow(a.natural, b.natural, &natural) ? unsigned_overflow()
                                                                     : Val::of_uint(natural);
    case ValKind::kDouble: return Val::of_double(a.number + b.number);
    case ValKind::kString:
    case ValKind::kBytes: return append(eval, a, b);
    default: return no_such_overload();
  }
}

Val subtract(Eval&, const Val& a, const Val& b) {
  std::int64_t difference = 0;
  std::uint64_t natural = 0;
  if (a.is(ValKind::kTimestamp) && b.is(ValKind::kDuration))
    return b.integer == INT64_MIN ? overflow() : move(a, -b.integer);
  if (a.kind != b.kind) return maybe_no_such_overload(b);
  switch (a.kind) {
    case ValKind::kInt:
      return __builtin_sub_overflow(a.integer, b.integer, &difference) ? overflow()
                                                                        : Val::of_int(difference);
    case ValKind::kDuration:
      return __builtin_sub_overflow(a.integer, b.integer, &difference)
                 ? overflow()
                 : Val::of_duration(difference);
    case ValKind::kTimestamp:
      if (__builtin_mul_overflow(a.integer - b.integer, std::int64_t{1'000'000'000}, &difference) ||
          __builtin_add_overflow(difference, std::int64_t{a.nanos} - b.nanos, &difference))
        return overflow();
      return Val::of_duration(difference);
    case ValKind::kUint:
      return __builtin_sub_overflow(a.natural, b.natural, &natural) ? unsigned_overflow()
                                                                     : Val::of_uint(natural);
    case ValKind::kDouble: return Val::of_double(a.number - b.number);
    default: return no_such_overload();
  }
}

Val multiply(Eval&, const Val& a, const Val& b) {
  if (a.kind != b.kind) return maybe_no_such_overload(b);
  std::int64_t product = 0;
  std::uint64_t natural = 0;
  switch (a.kind) {
    case ValKind::kInt:
      return __builtin_mul_overflow(a.integer, b.integer, &product) ? overflow()
                                                                     : Val::of_int(product);
    case ValKind::kUint:
      return __builtin_mul_overflow(a.natural, b.natural, &natural) ? unsigned_overflow()
                                                                     : Val::of_uint(natural);
    case ValKind::kDouble: return Val::of_double(a.number * b.number);
    default: return no_such_overload();
  }
}

Val divide(Eval&, const Val& a, const Val& b) {
  if (a.kind != b.kind) return maybe_no_such_overload(b);
  switch (a.kind) {
    case ValKind::kInt:
      if (b.integer == 0) return Val::error("division by zero");
      if (a.integer == INT64_MIN && b.integer == -1) return overflow();
      return Val::of_int(a.integer / b.integer);
    case ValKind::kUint:
      if (b.natural == 0) return Val::error("division by zero");
      return Val::of_uint(a.natural / b.natural);
    case ValKind::kDouble: return Val::of_double(a.number / b.number);
    default: return no_such_overload();
  }
}

Val modulo(Eval&, const Val& a, const Val& b) {
  if (a.kind != b.kind) return maybe_no_such_overload(b);
  switch (a.kind) {
    case ValKind::kInt:
      if (b.integer == 0) return Val::error("modulus by zero");
      if (a.integer == INT64_MIN && b.integer == -1) return overflow();
      return Val::of_int(a.integer % b.integer);
    case ValKind::kUint:
      if (b.natural == 0) return Val::error("modulus by zero");
      return Val::of_uint(a.natural % b.natural);
    default: return no_such_overload();
  }
}

Val negate(Eval&, const Val& a) {
  switch (a.kind) {
    case ValKind::kInt: return a.integer == INT64_MIN ? overflow() : Val::of_int(-a.integer);
    case ValKind::kDuration:
      return a.integer == INT64_MIN ? overflow() : Val::of_duration(-a.integer);
    case ValKind::kDouble: return Val::of_double(-a.number);
    default: return maybe_no_such_overload(a);
  }
}

std::int64_t size_of(const Val& v) {
  switch (v.kind) {
    case ValKind::kString: return static_cast<std::int64_t>(rune_count(v.text()));
    case ValKind::kBytes: return static_cast<std::int64_t>(v.size);
    case ValKind::kList: return static_cast<std::int64_t>(v.list->size());
    case ValKind::kMap: return static_cast<std::int64_t>(v.map->size());
    case ValKind::kIp: return v.ip->is6 ? 16 : 4;
    case ValKind::kCidr: return (v.ip->bits + 7) / 8;
    default: return -1;
  }
}

bool contains(Eval& eval, const Val& container, const Val& v) {
  if (container.is(ValKind::kMap)) return container.map->contains(eval.arena, v);
  const ListObj& list = *container.list;
  const std::size_t size = list.size();
  for (std::size_t i = 0; i < size; ++i) {
    eval.work(1);
    if (equal_to(eval, v, list.at(eval.arena, i)).is_true()) return true;
  }
  return false;
}

bool is_zero_value(const Val& v) {
  switch (v.kind) {
    case ValKind::kNull: return true;
    case ValKind::kBool: return !v.boolean;
    case ValKind::kInt:
    case ValKind::kUint:
    case ValKind::kDuration: return v.integer == 0;
    case ValKind::kDouble: return v.number == 0;
    case ValKind::kString:
    case ValKind::kBytes: return v.size == 0;
    case ValKind::kTimestamp: return v.integer == kMinUnixTime && v.nanos == 0;
    case ValKind::kList: return v.list->size() == 0;
    case ValKind::kMap: return v.map->size() == 0;
    default: return false;
  }
}

bool fits_at_run_time(Eval& eval, TypeRef type, const Val& v) {
  if (type->nullable && v.is(ValKind::kNull)) return true;
  const bool any = is_dyn(type) || type->kind == TypeKind::kParam;
  if (!any && type->name != type_name(v)) return false;
  if (type->kind == TypeKind::kList)
    return v.list->size() == 0 || fits_at_run_time(eval, type->params[0], v.list->at(eval.arena, 0));
  if (type->kind == TypeKind::kMap)
    return v.map->size() == 0 ||
           (fits_at_run_time(eval, type->params[0], v.map->key_at(eval.arena, 0)) &&
            fits_at_run_time(eval, type->params[1], v.map->value_at(eval.arena, 0)));
  return true;
}

}  // namespace dray::cel
