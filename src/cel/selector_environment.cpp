#include "cel/selector_environment.h"

#include "cel/libraries.h"
#include "cel/lib_regex.h"

namespace dray::cel {

void add_kubernetes(Environment& env, Vintage vintage) {
  env.homogeneous_literals = true;
  env.validate_literals = true;
  env.validate_formats = true;
  env.kubernetes_costs = true;
  env.presence_test_costs = false;
  add_standard(env);
  add_url(env);
  add_regex(env);
  // Compiled for 1.36, new expressions get the old lists, and early.
  if (vintage == Vintage::kNew) add_kubernetes_lists(env, false);
  add_authorizer(env);
  add_optionals(env);
  add_quantity(env);
  add_strings(env);
  add_sets(env);
  add_ip(env);
  add_cidr(env);
  add_named_formats(env);
  add_two_variables(env);
  add_semver(env);
  add_lists(env);
  if (vintage == Vintage::kStored) add_kubernetes_lists(env, true);
}

namespace {

void build(SelectorEnvironment& out, Vintage vintage, Features features) {
  Environment& env = out.env;
  const bool stored = vintage == Vintage::kStored;
  add_kubernetes(env, vintage);
  add_bindings(env);
  if (stored || features.list_type_attributes) add_includes(env);
  TypePool& pool = env.pool;
  const TypeRef text = &types::kString;
  out.attribute = stored || features.list_type_attributes ? &types::kDyn : &types::kAny;
  const TypeRef quantity = pool.structure("kubernetes.Quantity");
  StructType& device = env.add_struct("kubernetes.DRADevice");
  device.fields["driver"] = text;
  device.fields["attributes"] = pool.map(text, pool.map(text, out.attribute));
  device.fields["capacity"] = pool.map(text, pool.map(text, quantity));
  if (stored || features.consumable_capacity)
    device.fields["allowMultipleAllocations"] = &types::kBool;
  env.add_variable("device", device.type);
}

template <Vintage V, bool Consumable, bool Lists>
const SelectorEnvironment& instance() {
  static const auto* kEnvironment = [] {
    auto* out = new SelectorEnvironment;
    build(*out, V, {Consumable, Lists});
    return out;
  }();
  return *kEnvironment;
}

}  // namespace

const SelectorEnvironment& selector_environment(Vintage vintage, Features f) {
  // The gates have no effect on what is stored.
  if (vintage == Vintage::kStored) return instance<Vintage::kStored, true, true>();
  if (f.consumable_capacity)
    return f.list_type_attributes ? instance<Vintage::kNew, true, true>()
                                  : instance<Vintage::kNew, true, false>();
  return f.list_type_attributes ? instance<Vintage::kNew, false, true>()
                                : instance<Vintage::kNew, false, false>();
}

}  // namespace dray::cel
