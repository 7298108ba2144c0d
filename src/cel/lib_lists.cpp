#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "cel/collections.h"
#include "cel/libraries.h"
#include "cel/ops.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

std::vector<Val> elements(Eval& e, const Val& list) {
  std::vector<Val> out;
  const std::size_t size = list.list->size();
  e.work(size);
  out.reserve(size);
  for (std::size_t i = 0; i < size; ++i) out.push_back(list.list->at(e.arena, i));
  return out;
}

bool comparable(const Val& v) { return (traits_of(v) & traits::kComparer) != 0; }
bool addable(const Val& v) { return (traits_of(v) & traits::kAdder) != 0; }

// Kubernetes' lists.

Val is_sorted(Eval& e, Args a) {
  const std::vector<Val> values = elements(e, a[0]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!comparable(values[i])) return maybe_no_such_overload(values[i]);
    if (i == 0) continue;
    const Val order = compare(e, values[i - 1], values[i]);
    if (order.is(ValKind::kInt) && order.integer > 0) return Val::of(false);
  }
  return Val::of(true);
}

template <ValKind Kind>
Val sum(Eval& e, Args a) {
  Val total;
  total.kind = Kind;
  total.integer = 0;
  for (const Val& v : elements(e, a[0])) {
    if (!addable(v)) return maybe_no_such_overload(v);
    total = add(e, total, v);
    if (!addable(total)) return maybe_no_such_overload(total);
  }
  return total;
}

/// The first of the largest (Sign 1) or smallest (Sign -1) elements.
template <int Sign>
Val extreme(Eval& e, Args a) {
  const std::vector<Val> values = elements(e, a[0]);
  const Val* best = nullptr;
  for (const Val& v : values) {
    if (!comparable(v)) return maybe_no_such_overload(v);
    if (best == nullptr) {
      best = &v;
      continue;
    }
    const Val order = compare(e, *best, v);
    if (order.is(ValKind::kInt) && order.integer == -Sign) best = &v;
  }
  if (best == nullptr) return Val::error(Sign > 0 ? "max called on empty list" : "min called on empty list");
  return *best;
}

Val index_of(Eval& e, Args a) {
  const std::vector<Val> values = elements(e, a[0]);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (equal_to(e, values[i], a[1]).is_true()) return Val::of_int(static_cast<std::int64_t>(i));
  return Val::of_int(-1);
}

Val last_index_of(Eval& e, Args a) {
  const std::vector<Val> values = elements(e, a[0]);
  for (std::size_t i = values.size(); i-- > 0;)
    if (equal_to(e, values[i], a[1]).is_true()) return Val::of_int(static_cast<std::int64_t>(i));
  return Val::of_int(-1);
}

Val includes(Eval& e, Args a) {
  if (!a[0].is(ValKind::kList)) return Val::of(equal_to(e, a[0], a[1]).is_true());
  for (std::size_t i = 0; i < a[0].list->size(); ++i) {
    e.work(1);
    if (equal_to(e, a[0].list->at(e.arena, i), a[1]).is_true()) return Val::of(true);
  }
  return Val::of(false);
}

// The public list library.

Val slice(Eval& e, Args a) {
  const std::int64_t start = a[1].integer, end = a[2].integer;
  const auto size = static_cast<std::int64_t>(a[0].list->size());
  if (start < 0 || end < 0)
    return e.fail(fmt::format("cannot slice({}, {}), negative indexes not supported", start, end));
  if (start > end)
    return e.fail(fmt::format(
        "cannot slice({}, {}), start index must be less than or equal to end index", start, end));
  if (size < end)
    return e.fail(fmt::format("cannot slice({}, {}), list is length {}", start, end, size));
  std::vector<Val> out;
  e.work(static_cast<std::uint64_t>(end - start));
  for (std::int64_t i = start; i < end; ++i)
    out.push_back(a[0].list->at(e.arena, static_cast<std::size_t>(i)));
  return e.list_of(out);
}

void flatten_into(Eval& e, const ListObj& list, std::int64_t depth, std::vector<Val>& out) {
  const Eval::Deeper deeper(e);
  for (std::size_t i = 0; i < list.size(); ++i) {
    e.work(1);
    const Val v = list.at(e.arena, i);
    v.is(ValKind::kList) && depth > 0 ? flatten_into(e, *v.list, depth - 1, out) : out.push_back(v);
  }
}

Val flatten(Eval& e, Args a) {
  if (!a[0].is(ValKind::kList) || (a.size() > 1 && !a[1].is(ValKind::kInt)))
    return e.fail(a.size() > 1
                      ? fmt::format("no such overload: {}.flatten({})", type_text(type_of(a[0])),
                                    type_text(type_of(a[1])))
                      : fmt::format("no such overload: {}.flatten()", type_text(type_of(a[0]))));
  const std::int64_t depth = a.size() > 1 ? a[1].integer : 1;
  if (depth < 0) return Val::error("level must be non-negative");
  std::vector<Val> out;
  flatten_into(e, *a[0].list, depth, out);
  return e.list_of(out);
}

Val sort_by(Eval& e, const Val& list, const Val& keys_list) {
  const std::vector<Val> values = elements(e, list), keys = elements(e, keys_list);
  if (values.size() != keys.size())
    return e.fail(fmt::format(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
        "got {} and {} elements respectively",
        values.size(), keys.size()));
  if (values.empty()) return list;
  if (!comparable(keys[0])) return Val::error("list elements must be comparable");
  if (keys.size() > 1)
    for (const Val& key : keys)
      if (key.kind != keys[0].kind) return Val::error("list elements must have the same type");
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    e.work(1);
    const Val o = compare(e, keys[i], keys[j]);
    return o.is(ValKind::kInt) && o.integer < 0;
  });
  std::vector<Val> out;
  for (const std::size_t i : order) out.push_back(values[i]);
  return e.list_of(out);
}

Val sort(Eval& e, Args a) {
  return a[0].is(ValKind::kList) ? sort_by(e, a[0], a[0]) : no_such_overload();
}
Val sort_by_keys(Eval& e, Args a) { return sort_by(e, a[0], a[1]); }

Val range(Eval& e, Args a) {
  constexpr std::int64_t kMax = 1'000'000;
  const std::int64_t n = a[0].integer;
  if (n < 0) return e.fail(fmt::format("lists.range: size must be non-negative, got {}", n));
  if (n > kMax)
    return e.fail(fmt::format("lists.range: size {} exceeds maximum allowed ({})", n, kMax));
  e.work(static_cast<std::uint64_t>(n));
  Val* values = e.arena.array<Val>(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) values[i] = Val::of_int(i);
  return Val::of_list(
      e.arena.make<ArrayList>(std::span<const Val>(values, static_cast<std::size_t>(n))));
}

Val reverse(Eval& e, Args a) {
  std::vector<Val> values = elements(e, a[0]);
  std::reverse(values.begin(), values.end());
  return e.list_of(values);
}

Val distinct(Eval& e, Args a) {
  if (a[0].list->size() == 0) return a[0];
  std::vector<Val> out;
  for (const Val& v : elements(e, a[0])) {
    const bool seen = std::any_of(out.begin(), out.end(), [&](const Val& other) {
      e.work(1);
      return equal_to(e, v, other).is_true();
    });
    if (!seen) out.push_back(v);
  }
  return e.list_of(out);
}

// Sets.

Val set_contains(Eval& e, const Val& list, const Val& sub) {
  for (const Val& v : elements(e, sub))
    if (!contains(e, list, v)) return Val::of(false);
  return Val::of(true);
}

Val sets_contains(Eval& e, Args a) { return set_contains(e, a[0], a[1]); }
Val sets_equivalent(Eval& e, Args a) {
  return Val::of(set_contains(e, a[0], a[1]).is_true() && set_contains(e, a[1], a[0]).is_true());
}
Val sets_intersects(Eval& e, Args a) {
  for (const Val& v : elements(e, a[0]))
    if (contains(e, a[1], v)) return Val::of(true);
  return Val::of(false);
}

struct Named {
  const char* name;
  TypeRef type;
};
constexpr std::size_t kSummable = 3;
const Named kComparable[] = {{"int", &types::kInt},           {"uint", &types::kUint},
                             {"double", &types::kDouble},     {"bool", &types::kBool},
                             {"duration", &types::kDuration}, {"timestamp", &types::kTimestamp},
                             {"string", &types::kString},     {"bytes", &types::kBytes}};

}  // namespace

void add_includes(Environment& env) {
  env.declare("includes").member("list_includes_dyn_dyn", {&types::kDyn, &types::kDyn},
                                 &types::kBool, includes);
}

void add_kubernetes_lists(Environment& env, bool with_includes) {
  TypePool& pool = env.pool;
  constexpr Fn kSums[] = {sum<ValKind::kInt>, sum<ValKind::kUint>, sum<ValKind::kDouble>};
  for (std::size_t i = 0; i < std::size(kComparable); ++i) {
    const auto& [name, type] = kComparable[i];
    const TypeRef list = pool.list(type);
    const std::string prefix = std::string("list_") + name;
    env.declare("isSorted").member(prefix + "_is_sorted_bool", {list}, &types::kBool, is_sorted);
    env.declare("max").member(prefix + "_max_" + name, {list}, type, extreme<1>);
    env.declare("min").member(prefix + "_min_" + name, {list}, type, extreme<-1>);
    if (i < kSummable) env.declare("sum").member(prefix + "_sum_" + name, {list}, type, kSums[i]);
  }
  env.declare("sum").member("list_duration_sum_duration", {pool.list(&types::kDuration)},
                            &types::kDuration, sum<ValKind::kDuration>);
  const TypeRef a = pool.param("A"), list = pool.list(a);
  env.declare("indexOf").member("list_a_index_of_int", {list, a}, &types::kInt, index_of);
  env.declare("lastIndexOf")
      .member("list_a_last_index_of_int", {list, a}, &types::kInt, last_index_of);
  if (with_includes) add_includes(env);
}

void add_lists(Environment& env) {
  TypePool& pool = env.pool;
  const TypeRef list = pool.list(pool.param("T")), integer = &types::kInt;
  env.list_costs = true;
  env.add_macros(list_macros());
  env.declare("slice").member("list_slice", {list, integer, integer}, list, slice);
  env.declare("flatten")
      .member("list_flatten", {pool.list(list)}, list, flatten)
      .member("list_flatten_int", {&types::kListDyn, integer}, &types::kListDyn, flatten)
      .no_type_guards();
  auto sorts = env.declare("sort");
  auto sorts_by = env.declare("@sortByAssociatedKeys");
  for (const auto& [name, type] : kComparable) {
    const std::string prefix = "list_" + type->name;
    sorts.member(prefix + "_sort", {pool.list(type)}, pool.list(type));
    sorts_by.member(prefix + "_sortByAssociatedKeys", {list, pool.list(type)}, list);
  }
  sorts.singleton(sort, Shape::kUnary, traits::kLister);
  sorts_by.singleton(sort_by_keys, Shape::kBinary, traits::kLister);
  env.declare("lists.range").global("lists_range", {integer}, pool.list(integer), range);
  env.declare("reverse").member("list_reverse", {list}, list, reverse);
  env.declare("distinct").member("list_distinct", {list}, list, distinct);
}

void add_sets(Environment& env) {
  const TypeRef list = env.pool.list(env.pool.param("T")), boolean = &types::kBool;
  env.set_costs = true;
  env.declare("sets.contains").global("list_sets_contains_list", {list, list}, boolean, sets_contains);
  env.declare("sets.equivalent")
      .global("list_sets_equivalent_list", {list, list}, boolean, sets_equivalent);
  env.declare("sets.intersects")
      .global("list_sets_intersects_list", {list, list}, boolean, sets_intersects);
}

}  // namespace dray::cel
