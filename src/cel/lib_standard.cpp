#include "cel/lib_regex.h"
#include "cel/lib_time.h"
#include "cel/libraries.h"
#include "cel/ops.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

// Operators.

Val logical_not(Eval&, Args a) {
  return a[0].is(ValKind::kBool) ? Val::of(!a[0].boolean) : maybe_no_such_overload(a[0]);
}
Val not_strictly_false(Eval&, Args a) { return a[0].is(ValKind::kBool) ? a[0] : Val::of(true); }
Val negated(Eval& e, Args a) {
  return a[0].is(ValKind::kBool) ? no_such_overload() : negate(e, a[0]);
}

template <Val (*Op)(Eval&, const Val&, const Val&)>
Val binary(Eval& e, Args a) {
  return Op(e, a[0], a[1]);
}

/// `<`, `<=`, `>`, `>=`: whether the order of the operands is one of two.
template <int First, int Second>
Val relation(Eval& e, Args a) {
  const Val order = compare(e, a[0], a[1]);
  if (!order.is(ValKind::kInt)) return order;
  return Val::of(order.integer == First || order.integer == Second);
}

Val at(Eval& e, Args a) {
  if (a[0].is(ValKind::kMap)) {
    Val value;
    return a[0].map->find(e.arena, a[1], value) ? value : e.fail("no such key");
  }
  return no_such_overload();
}

Val in(Eval& e, Args a) {
  if (!a[1].is(ValKind::kList) && !a[1].is(ValKind::kMap)) return maybe_no_such_overload(a[1]);
  return Val::of(contains(e, a[1], a[0]));
}

Val size(Eval&, Args a) { return Val::of_int(size_of(a[0])); }

// Conversions.

template <const Type& To>
Val to(Eval& e, Args a) {
  return convert(e, a[0], &To);
}
Val same(Eval&, Args a) { return a[0]; }

// Strings.

enum class Part { kContains, kStart, kEnd };

template <Part Which>
Val has_part(Eval&, Args a) {
  for (const Val& v : a)
    if (!v.is(ValKind::kString)) return maybe_no_such_overload(v);
  const std::string_view text = a[0].text(), part = a[1].text();
  if constexpr (Which == Part::kContains) return Val::of(text.contains(part));
  if constexpr (Which == Part::kStart) return Val::of(text.starts_with(part));
  return Val::of(text.ends_with(part));
}

struct Types {
  TypeRef a, b, list, map;
};

void add_logic(Environment& env, const Types& t) {
  const TypeRef boolean = &types::kBool;
  env.declare("_?_:_").global("conditional", {boolean, t.a, t.a}, t.a);
  env.declare("_&&_").global("logical_and", {boolean, boolean}, boolean);
  env.declare("_||_").global("logical_or", {boolean, boolean}, boolean);
  env.declare("!_").global("logical_not", {boolean}, boolean).singleton(logical_not, Shape::kUnary);
  env.declare("@not_strictly_false")
      .global("not_strictly_false", {boolean}, boolean, not_strictly_false)
      .non_strict();
  env.declare("_==_").global("equals", {t.a, t.a}, boolean);
  env.declare("_!=_").global("not_equals", {t.a, t.a}, boolean);
}

void add_arithmetic(Environment& env, const Types& t) {
  const TypeRef bytes = &types::kBytes, number = &types::kDouble, duration = &types::kDuration,
                integer = &types::kInt, text = &types::kString, time = &types::kTimestamp,
                natural = &types::kUint;
  env.declare("_+_")
      .global("add_bytes", {bytes, bytes}, bytes)
      .global("add_double", {number, number}, number)
      .global("add_duration_duration", {duration, duration}, duration)
      .global("add_duration_timestamp", {duration, time}, time)
      .global("add_timestamp_duration", {time, duration}, time)
      .global("add_int64", {integer, integer}, integer)
      .global("add_list", {t.list, t.list}, t.list)
      .global("add_string", {text, text}, text)
      .global("add_uint64", {natural, natural}, natural)
      .singleton(binary<add>, Shape::kBinary, traits::kAdder);
  env.declare("_/_")
      .global("divide_double", {number, number}, number)
      .global("divide_int64", {integer, integer}, integer)
      .global("divide_uint64", {natural, natural}, natural)
      .singleton(binary<divide>, Shape::kBinary, traits::kDivider);
  env.declare("_%_")
      .global("modulo_int64", {integer, integer}, integer)
      .global("modulo_uint64", {natural, natural}, natural)
      .singleton(binary<modulo>, Shape::kBinary, traits::kModder);
  env.declare("_*_")
      .global("multiply_double", {number, number}, number)
      .global("multiply_int64", {integer, integer}, integer)
      .global("multiply_uint64", {natural, natural}, natural)
      .singleton(binary<multiply>, Shape::kBinary, traits::kMultiplier);
  env.declare("-_")
      .global("negate_double", {number}, number)
      .global("negate_int64", {integer}, integer)
      .singleton(negated, Shape::kUnary, traits::kNegator);
  env.declare("_-_")
      .global("subtract_double", {number, number}, number)
      .global("subtract_duration_duration", {duration, duration}, duration)
      .global("subtract_int64", {integer, integer}, integer)
      .global("subtract_timestamp_duration", {time, duration}, time)
      .global("subtract_timestamp_timestamp", {time, time}, duration)
      .global("subtract_uint64", {natural, natural}, natural)
      .singleton(binary<subtract>, Shape::kBinary, traits::kSubtractor);
}

void add_relation(Environment& env, const char* function, const std::string& name, Fn fn) {
  struct Pair {
    const char* suffix;
    TypeRef a, b;
  };
  const TypeRef integer = &types::kInt, natural = &types::kUint, number = &types::kDouble;
  const Pair pairs[] = {{"bool", &types::kBool, &types::kBool},
                        {"int64", integer, integer},
                        {"int64_double", integer, number},
                        {"int64_uint64", integer, natural},
                        {"uint64", natural, natural},
                        {"uint64_double", natural, number},
                        {"uint64_int64", natural, integer},
                        {"double", number, number},
                        {"double_int64", number, integer},
                        {"double_uint64", number, natural},
                        {"string", &types::kString, &types::kString},
                        {"bytes", &types::kBytes, &types::kBytes},
                        {"timestamp", &types::kTimestamp, &types::kTimestamp},
                        {"duration", &types::kDuration, &types::kDuration}};
  auto declare = env.declare(function);
  for (const Pair& p : pairs) declare.global(name + "_" + p.suffix, {p.a, p.b}, &types::kBool);
  declare.singleton(fn, Shape::kBinary, traits::kComparer);
}

void add_collections(Environment& env, const Types& t) {
  const TypeRef integer = &types::kInt, boolean = &types::kBool;
  env.declare("_[_]")
      .global("index_list", {t.list, integer}, t.a)
      .global("index_map", {t.map, t.a}, t.b)
      .singleton(at, Shape::kBinary, traits::kIndexer);
  env.declare("@in")
      .global("in_list", {t.a, t.list}, boolean)
      .global("in_map", {t.a, t.map}, boolean)
      .singleton(in, Shape::kBinary);
  env.declare("size")
      .global("size_bytes", {&types::kBytes}, integer)
      .member("bytes_size", {&types::kBytes}, integer)
      .global("size_list", {t.list}, integer)
      .member("list_size", {t.list}, integer)
      .global("size_map", {t.map}, integer)
      .member("map_size", {t.map}, integer)
      .global("size_string", {&types::kString}, integer)
      .member("string_size", {&types::kString}, integer)
      .singleton(size, Shape::kUnary, traits::kSizer);
}

void add_conversions(Environment& env, const Types& t) {
  const TypeRef bytes = &types::kBytes, number = &types::kDouble, duration = &types::kDuration,
                integer = &types::kInt, text = &types::kString, time = &types::kTimestamp,
                natural = &types::kUint, boolean = &types::kBool;
  env.declare("type")
      .global("type", {t.a}, env.pool.type_of(t.a))
      .singleton(to<types::kType>, Shape::kUnary);
  env.declare("bool")
      .global("bool_to_bool", {boolean}, boolean, same)
      .global("string_to_bool", {text}, boolean, to<types::kBool>);
  env.declare("bytes")
      .global("bytes_to_bytes", {bytes}, bytes, same)
      .global("string_to_bytes", {text}, bytes, to<types::kBytes>);
  env.declare("double")
      .global("double_to_double", {number}, number, same)
      .global("int64_to_double", {integer}, number, to<types::kDouble>)
      .global("string_to_double", {text}, number, to<types::kDouble>)
      .global("uint64_to_double", {natural}, number, to<types::kDouble>);
  env.declare("duration")
      .global("duration_to_duration", {duration}, duration, same)
      .global("string_to_duration", {text}, duration, to<types::kDuration>);
  env.declare("dyn").global("to_dyn", {t.a}, &types::kDyn).singleton(same, Shape::kUnary);
  env.declare("int")
      .global("int64_to_int64", {integer}, integer, same)
      .global("double_to_int64", {number}, integer, to<types::kInt>)
      .global("duration_to_int64", {duration}, integer, to<types::kInt>)
      .global("string_to_int64", {text}, integer, to<types::kInt>)
      .global("timestamp_to_int64", {time}, integer, to<types::kInt>)
      .global("uint64_to_int64", {natural}, integer, to<types::kInt>);
  env.declare("string")
      .global("string_to_string", {text}, text, same)
      .global("bool_to_string", {boolean}, text, to<types::kString>)
      .global("bytes_to_string", {bytes}, text, to<types::kString>)
      .global("double_to_string", {number}, text, to<types::kString>)
      .global("duration_to_string", {duration}, text, to<types::kString>)
      .global("int64_to_string", {integer}, text, to<types::kString>)
      .global("timestamp_to_string", {time}, text, to<types::kString>)
      .global("uint64_to_string", {natural}, text, to<types::kString>);
  env.declare("timestamp")
      .global("timestamp_to_timestamp", {time}, time, same)
      .global("int64_to_timestamp", {integer}, time, to<types::kTimestamp>)
      .global("string_to_timestamp", {text}, time, to<types::kTimestamp>);
  env.declare("uint")
      .global("uint64_to_uint64", {natural}, natural, same)
      .global("double_to_uint64", {number}, natural, to<types::kUint>)
      .global("int64_to_uint64", {integer}, natural, to<types::kUint>)
      .global("string_to_uint64", {text}, natural, to<types::kUint>);
}

void add_text(Environment& env) {
  const TypeRef text = &types::kString, boolean = &types::kBool;
  env.declare("contains")
      .member("contains_string", {text, text}, boolean, has_part<Part::kContains>)
      .no_type_guards();
  env.declare("endsWith")
      .member("ends_with_string", {text, text}, boolean, has_part<Part::kEnd>)
      .no_type_guards();
  env.declare("startsWith")
      .member("starts_with_string", {text, text}, boolean, has_part<Part::kStart>)
      .no_type_guards();
  env.declare("matches")
      .global("matches", {text, text}, boolean)
      .member("matches_string", {text, text}, boolean)
      .singleton(matches, Shape::kBinary, traits::kMatcher);
}

}  // namespace

void add_standard(Environment& env) {
  const TypeRef a = env.pool.param("A"), b = env.pool.param("B");
  const Types t{a, b, env.pool.list(a), env.pool.map(a, b)};
  for (const TypeRef type :
       {&types::kBool, &types::kBytes, &types::kDouble, &types::kDuration, &types::kInt,
        &types::kNull, &types::kString, &types::kTimestamp, &types::kType, &types::kUint})
    env.add_type(type);
  env.add_type(t.list);
  env.add_type(t.map);
  env.add_macros(standard_macros());
  add_logic(env, t);
  add_arithmetic(env, t);
  add_relation(env, "_<_", "less", relation<-1, -1>);
  add_relation(env, "_<=_", "less_equals", relation<-1, 0>);
  add_relation(env, "_>_", "greater", relation<1, 1>);
  add_relation(env, "_>=_", "greater_equals", relation<1, 0>);
  add_collections(env, t);
  add_conversions(env, t);
  add_text(env);
  add_time(env);
}

}  // namespace dray::cel
