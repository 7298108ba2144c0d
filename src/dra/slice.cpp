#include "dra/slice.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "dra/inventory_impl.h"

namespace dray::dra {

namespace {

void append_raw(std::string& key, const void* data, std::size_t size) {
  key.append(static_cast<const char*>(data), size);
}

void append_quantity(std::string& key, const Quantity& quantity) {
  const Amount amount = amount_of(quantity);
  append_raw(key, &amount, sizeof(amount));
  key.push_back(static_cast<char>(quantity.format()));
}

void append_optional(std::string& key, const std::optional<Quantity>& quantity) {
  key.push_back(quantity ? 1 : 0);
  if (quantity) append_quantity(key, *quantity);
}

SelectorPtr parse_selector(const Box<core::NodeSelector>& selector) {
  return selector ? std::make_shared<const Result<NodeSelectorMatcher>>(
                        NodeSelectorMatcher::parse(*selector))
                  : nullptr;
}

bool keeps_off(const std::string& effect) { return effect == "NoSchedule" || effect == "NoExecute"; }

}  // namespace

std::uint32_t Inventory::Impl::capacity_id(const resource::Device& device) {
  if (device.capacity.empty()) return 0;
  std::string key;
  for (const auto& [name, capacity] : device.capacity) {
    key += name;
    key.push_back('\0');
    append_quantity(key, capacity.value);
    const auto* policy = capacity.request_policy.get();
    key.push_back(policy == nullptr ? 0 : 1);
    if (policy == nullptr) continue;
    append_optional(key, policy->default_);
    key.push_back(static_cast<char>(policy->valid_values.size()));
    for (const Quantity& valid : policy->valid_values) append_quantity(key, valid);
    key.push_back(policy->valid_range ? 1 : 0);
    if (!policy->valid_range) continue;
    append_optional(key, policy->valid_range->min);
    append_optional(key, policy->valid_range->max);
    append_optional(key, policy->valid_range->step);
  }
  const auto [at, fresh] =
      capacity_ids.try_emplace(key, static_cast<std::uint32_t>(capacity_names.size()));
  if (fresh) {
    std::vector<Symbol>& names = capacity_names.emplace_back();
    for (const auto& [name, capacity] : device.capacity) names.push_back(symbols.intern(name));
  }
  return at->second;
}

std::uint32_t Inventory::Impl::taint_set_id(const resource::Device& device, const Slice& slice) {
  if (!features.device_taints || (device.taints.empty() && rules.empty())) return 0;
  std::vector<Taint> taints;
  for (const auto& taint : device.taints) {
    if (keeps_off(taint.effect)) taints.push_back({taint.key, taint.value, taint.effect});
  }
  const Pool& pool = pools[index_of(slice.pool)];
  for (const auto& [name, rule] : rules) {
    const auto& selector = rule->spec.device_selector;
    if (!selector || !keeps_off(rule->spec.taint.effect)) continue;
    if ((selector->driver && *selector->driver != pool.driver) ||
        (selector->pool && *selector->pool != pool.name) ||
        (selector->device && *selector->device != device.name))
      continue;
    taints.push_back({rule->spec.taint.key, rule->spec.taint.value, rule->spec.taint.effect});
  }
  std::ranges::sort(taints);
  taints.erase(std::unique(taints.begin(), taints.end()), taints.end());
  const auto [at, fresh] =
      taint_set_ids.try_emplace(taints, static_cast<std::uint32_t>(taint_sets.size()));
  if (fresh) taint_sets.push_back(taints);
  return at->second;
}

void Inventory::Impl::compile_device(const resource::Device& device, Slice& slice) {
  DeviceInfo& info = slice.devices.emplace_back();
  info.api = &device;
  info.id = intern_device(slice.pool, device.name);
  info.capacity = capacity_id(device);
  info.taints = taint_set_id(device, slice);
  info.multiple = features.consumable_capacity && device.allow_multiple_allocations.value_or(false);
  info.conditions = !device.binding_conditions.empty();
  info.consumes = !device.consumes_counters.empty();
  info.counters_begin = static_cast<std::uint32_t>(slice.counters.size());
  info.groups_begin = static_cast<std::uint32_t>(slice.groups.size());
  for (const auto& consumption : device.consumes_counters) {
    const Symbol set = symbols.intern(consumption.counter_set);
    for (const auto& [name, counter] : consumption.counters)
      slice.counters.push_back({set, symbols.intern(name), amount_of(counter.value)});
    GroupUse& use = slice.groups.emplace_back();
    use.set = set;
    for (const std::string& group : consumption.compatibility_groups)
      use.groups.push_back(symbols.intern(group));
    std::ranges::sort(use.groups);
    slice.groups_used = slice.groups_used || !use.groups.empty();
  }
  info.counters_end = static_cast<std::uint32_t>(slice.counters.size());
  info.groups_end = static_cast<std::uint32_t>(slice.groups.size());
  slice.consumes = slice.consumes || info.consumes;
  slice.conditions = slice.conditions || info.conditions;
  if (device.node_selector && slice.per_device) {
    info.selector = parse_selector(device.node_selector);
    slice.bad_selector = slice.bad_selector || !*info.selector;
    slice.several_terms = slice.several_terms || device.node_selector->node_selector_terms.size() > 1;
  }
}

std::unique_ptr<Slice> Inventory::Impl::compile(
    std::shared_ptr<const resource::ResourceSlice> object) {
  const auto& spec = object->spec;
  auto slice = std::make_unique<Slice>();
  slice->name = object->metadata.name;
  slice->pool = intern_pool(spec.driver, spec.pool.name);
  slice->stamp = next_stamp++;
  slice->generation = spec.pool.generation;
  slice->count = spec.pool.resource_slice_count;
  slice->shared_counters = !spec.shared_counters.empty();
  slice->skips_operations = !spec.skip_node_operations.empty();
  slice->per_device = spec.per_device_node_selection.value_or(false);
  if (spec.node_name && !spec.node_name->empty()) {
    slice->reach = Slice::Reach::kNode;
    slice->node = intern_node(*spec.node_name);
  } else if (spec.all_nodes.value_or(false)) {
    slice->reach = Slice::Reach::kAll;
  } else if (spec.node_selector) {
    slice->reach = Slice::Reach::kSelector;
    slice->selector = parse_selector(spec.node_selector);
  } else if (slice->per_device) {
    slice->reach = Slice::Reach::kPerDevice;
  }
  slice->several_terms = spec.node_selector && spec.node_selector->node_selector_terms.size() > 1;
  slice->devices.reserve(spec.devices.size());
  for (const auto& device : spec.devices) compile_device(device, *slice);
  slice->object = std::move(object);
  return slice;
}

Result<bool> selects_node(const NodeFacts& facts, std::string_view node_name, bool all_nodes,
                          const SelectorPtr& selector) {
  if (!node_name.empty()) return facts.name == node_name;
  if (all_nodes) return true;
  if (selector == nullptr) return false;
  if (!*selector) return fail(selector->error());
  return (*selector)->matches(facts);
}

}  // namespace dray::dra
