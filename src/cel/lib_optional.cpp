#include "cel/collections.h"
#include "cel/libraries.h"
#include "cel/ops.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

Val of(Eval& e, Args a) { return e.optional_of(a[0]); }
Val of_non_zero(Eval& e, Args a) { return is_zero_value(a[0]) ? Val::none() : e.optional_of(a[0]); }
Val none(Eval&, Args) { return Val::none(); }

Val value(Eval&, Args a) {
  return a[0].inner == nullptr ? Val::error("optional.none() dereference") : *a[0].inner;
}
Val has_value(Eval&, Args a) { return Val::of(a[0].inner != nullptr); }

Val first(Eval& e, Args a) {
  const ListObj& list = *a[0].list;
  return list.size() == 0 ? Val::none() : e.optional_of(list.at(e.arena, 0));
}
Val last(Eval& e, Args a) {
  const ListObj& list = *a[0].list;
  return list.size() == 0 ? Val::none() : e.optional_of(list.at(e.arena, list.size() - 1));
}

Val unwrap(Eval& e, Args a) {
  const ListObj& list = *a[0].list;
  std::vector<Val> values;
  for (std::size_t i = 0; i < list.size(); ++i) {
    e.work(1);
    const Val v = list.at(e.arena, i);
    if (!v.is(ValKind::kOptional)) return e.fail("value " + display(e, v) + " is not optional");
    if (v.inner != nullptr) values.push_back(*v.inner);
  }
  return e.list_of(values);
}

/// Inserts into an accumulator in place, into anything else by a copy.
Val insert(Eval& e, const Val& map, const Val& key, const Val& v) {
  Val ignored;
  if (map.map->find(e.arena, key, ignored))
    return e.fail("insert failed: key " + display(e, key) + " already exists");
  if (key.is(ValKind::kBytes) || key.is(ValKind::kSemver))
    throw Cancelled{"internal error: runtime error: hash of unhashable type"};
  auto* own = const_cast<HashMap*>(dynamic_cast<const HashMap*>(map.map));
  if (own != nullptr && own->is_mutable) {
    own->set(e.arena, key, v);
    return map;
  }
  auto* copy = e.arena.make<HashMap>();
  copy->set(e.arena, key, v);
  e.work(map.map->size());
  for (std::size_t i = 0; i < map.map->size(); ++i)
    copy->set(e.arena, map.map->key_at(e.arena, i), map.map->value_at(e.arena, i));
  return Val::of_map(copy);
}

Val insert_entry(Eval& e, Args a) { return insert(e, a[0], a[1], a[2]); }

Val insert_map(Eval& e, Args a) {
  Val out = a[0];
  for (std::size_t i = 0; i < a[1].map->size(); ++i) {
    out = insert(e, out, a[1].map->key_at(e.arena, i), a[1].map->value_at(e.arena, i));
    if (out.failed()) return out;
  }
  return out;
}

}  // namespace

void add_optionals(Environment& env) {
  TypePool& pool = env.pool;
  const TypeRef k = pool.param("K"), v = pool.param("V"), opt = pool.optional(v),
                list = pool.list(v), map = pool.map(k, v), integer = &types::kInt;
  env.parser.optional_syntax = true;
  env.add_macros(optional_macros());
  env.add_type(&types::kOptional);
  env.declare("optional.of").global("optional_of", {v}, opt, of);
  env.declare("optional.ofNonZeroValue").global("optional_ofNonZeroValue", {v}, opt, of_non_zero);
  env.declare("optional.none").global("optional_none", {}, opt, none, Shape::kMany);
  env.declare("value").member("optional_value", {opt}, v, value);
  env.declare("hasValue").member("optional_hasValue", {opt}, &types::kBool, has_value);
  env.declare("or").member("optional_or_optional", {opt, opt}, opt);
  env.declare("orValue").member("optional_orValue_value", {opt, v}, v);
  env.declare("_?._").global("select_optional_field", {&types::kDyn, &types::kString}, opt);
  env.declare("_[?_]")
      .global("list_optindex_optional_int", {list, integer}, opt)
      .global("optional_list_optindex_optional_int", {pool.optional(list), integer}, opt)
      .global("map_optindex_optional_value", {map, k}, opt)
      .global("optional_map_optindex_optional_value", {pool.optional(map), k}, opt);
  env.declare("_[_]")
      .global("optional_list_index_int", {pool.optional(list), integer}, opt)
      .global("optional_map_index_value", {pool.optional(map), k}, opt);
  env.declare("last").member("list_last", {list}, opt, last);
  env.declare("first").member("list_first", {list}, opt, first);
  env.declare("optional.unwrap").global("optional_unwrap", {pool.list(opt)}, list, unwrap);
  env.declare("unwrapOpt").member("optional_unwrapOpt", {pool.list(opt)}, list, unwrap);
}

void add_two_variables(Environment& env) {
  const TypeRef k = env.pool.param("K"), v = env.pool.param("V"), map = env.pool.map(k, v);
  env.add_macros(two_variable_macros());
  env.declare("cel.@mapInsert")
      .global("@mapInsert_map_key_value", {map, k, v}, map, insert_entry)
      .global("@mapInsert_map_map", {map, map}, map, insert_map);
}

void add_bindings(Environment& env) { env.add_macros(bind_macros()); }

}  // namespace dray::cel
