#include "cel/libraries.h"
#include "cel/semver.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

/// Parses the text; a failed value says why it is none.
bool parse_args(Args a, Semver& out, std::string& error) {
  const bool tolerant = a.size() > 1 && a[1].is_true();
  return tolerant ? parse_semver_tolerant(a[0].text(), out, error)
                  : parse_semver(a[0].text(), out, error);
}

Val parse(Eval& e, Args a) {
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  Semver version;
  std::string error;
  if (!parse_args(a, version, error)) return e.fail(error);
  return Val::of_semver(e.arena.own<Semver>(std::move(version)));
}

Val is_semver(Eval&, Args a) {
  if (!a[0].is(ValKind::kString)) return maybe_no_such_overload(a[0]);
  Semver version;
  std::string error;
  return Val::of(parse_args(a, version, error));
}

int order(Args a) { return a[0].semver->compare(*a[1].semver); }

Val greater(Eval&, Args a) { return Val::of(order(a) > 0); }
Val less(Eval&, Args a) { return Val::of(order(a) < 0); }
Val compare_to(Eval&, Args a) { return Val::of_int(order(a)); }
Val major(Eval&, Args a) { return Val::of_int(static_cast<std::int64_t>(a[0].semver->major)); }
Val minor(Eval&, Args a) { return Val::of_int(static_cast<std::int64_t>(a[0].semver->minor)); }
Val patch(Eval&, Args a) { return Val::of_int(static_cast<std::int64_t>(a[0].semver->patch)); }

}  // namespace

void add_semver(Environment& env) {
  const TypeRef v = env.pool.structure("kubernetes.Semver"), text = &types::kString,
                boolean = &types::kBool, integer = &types::kInt;
  env.declare("semver")
      .global("string_to_semver", {text}, v, parse)
      .global("string_bool_to_semver", {text, boolean}, v, parse);
  env.declare("isSemver")
      .global("is_semver_string", {text}, boolean, is_semver)
      .global("is_semver_string_bool", {text, boolean}, boolean, is_semver);
  env.declare("isGreaterThan").member("semver_is_greater_than", {v, v}, boolean, greater);
  env.declare("isLessThan").member("semver_is_less_than", {v, v}, boolean, less);
  env.declare("compareTo").member("semver_compare_to", {v, v}, integer, compare_to);
  env.declare("major").member("semver_major", {v}, integer, major);
  env.declare("minor").member("semver_minor", {v}, integer, minor);
  env.declare("patch").member("semver_patch", {v}, integer, patch);
}

}  // namespace dray::cel
