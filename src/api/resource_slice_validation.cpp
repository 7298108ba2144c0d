#include "api/resource_slice_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "api/core_v1.h"
#include "api/core_validate.h"
#include "api/internal_text.h"
#include "api/resource_device_validation.h"
#include "api/resource_parts.h"

namespace dray::api {
namespace {

constexpr std::size_t kDevicesMax = 128;
/// For slices whose devices have taints, counters or lists.
constexpr std::size_t kAdvancedDevicesMax = 64;
constexpr std::size_t kCounterSetsMax = 8;
constexpr std::size_t kCountersMax = 32;

using Spec = resource::ResourceSliceSpec;

bool consumes_counters(const Spec& spec) {
  return std::any_of(spec.devices.begin(), spec.devices.end(),
                     [](const auto& device) { return !device.consumes_counters.empty(); });
}

bool is_advanced(const Spec& spec) {
  return std::any_of(spec.devices.begin(), spec.devices.end(), [](const resource::Device& device) {
    return !device.taints.empty() || !device.consumes_counters.empty() ||
           std::any_of(device.attributes.begin(), device.attributes.end(),
                       [](const auto& attribute) { return has_list_value(attribute.second); });
  });
}

void validate_pool(const resource::ResourcePool& pool, const FieldPath& at, Causes& out) {
  validate_pool_name(pool.name, at / "name", out);
  if (pool.resource_slice_count <= 0) {
    out.invalid(at / "resourceSliceCount", pool.resource_slice_count, "must be greater than zero");
  }
  if (pool.generation < 0) {
    out.invalid(at / "generation", pool.generation, "must be greater than or equal to zero");
  }
}

/// A bool that is either left out or true. Whether it is true.
bool validate_true(const std::optional<bool>& value, const FieldPath& at, Causes& out) {
  if (value && !*value) out.invalid(at, false, "must be either unset or set to true");
  return value.value_or(false);
}

/// Where the devices are: one of four ways.
void validate_nodes(const Spec& spec, const FieldPath& at, Causes& out) {
  constexpr std::string_view kExactlyOne =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  std::string set;
  int count = 0;
  const auto add = [&](std::string_view name) {
    set += fmt::format("{}`{}`", set.empty() ? "" : ", ", name);
    ++count;
  };
  if (spec.node_name && spec.node_name->empty()) {
    out.invalid(at / "nodeName", "", "must be either unset or set to a non-empty string");
  } else if (spec.node_name) {
    add("nodeName");
    out.invalid_each(at / "nodeName", *spec.node_name, check_name_is_subdomain(*spec.node_name));
  }
  if (spec.node_selector) {
    add("nodeSelector");
    validate_node_selector(*spec.node_selector, at / "nodeSelector", out);
    // One term, so that the selectors of several slices can be joined.
    if (const auto& terms = spec.node_selector->node_selector_terms; terms.size() != 1) {
      out.invalid(at / "nodeSelector" / "nodeSelectorTerms", internal_list_of(terms),
                  "must have exactly one node selector term");
    }
  }
  if (validate_true(spec.all_nodes, at / "allNodes", out)) add("allNodes");
  if (validate_true(spec.per_device_node_selection, at / "perDeviceNodeSelection", out)) {
    add("perDeviceNodeSelection");
  }
  if (count == 0) out.required(at, kExactlyOne);
  if (count > 1) {
    out.invalid(at, "{" + set + "}", fmt::format("{}, but multiple fields are set", kExactlyOne));
  }
}

const resource::Device* find_device(const Spec* spec, const std::string& name) {
  if (!spec) return nullptr;
  const auto found = std::find_if(spec->devices.begin(), spec->devices.end(),
                                  [&](const auto& device) { return device.name == name; });
  return found == spec->devices.end() ? nullptr : &*found;
}

void validate_devices(const HookContext& context, const Spec& spec, const Spec* old, const FieldPath& at,
                      Causes& out) {
  const std::size_t max = is_advanced(spec) ? kAdvancedDevicesMax : kDevicesMax;
  if (spec.devices.size() > max) {
    return out.too_many(at, static_cast<std::int64_t>(spec.devices.size()), static_cast<std::int64_t>(max));
  }
  const bool per_device = spec.per_device_node_selection.value_or(false);
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    validate_device(context.gates, spec.devices[i], find_device(old, spec.devices[i].name), per_device,
                    at / i, out);
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    if (!seen.insert(spec.devices[i].name).second) out.duplicate(at / i, spec.devices[i].name);
  }
}

/// Names, and that there are counters, is checked declaratively.
void validate_counter_sets(const Spec& spec, const FieldPath& at, Causes& out) {
  if (spec.shared_counters.size() > kCounterSetsMax) return;
  for (std::size_t i = 0; i < spec.shared_counters.size(); ++i) {
    const std::size_t counters = spec.shared_counters[i].counters.size();
    if (counters > kCountersMax) {
      out.too_many(at / i / "counters", static_cast<std::int64_t>(counters), kCountersMax);
    }
  }
}

/// The attribute by its full name, or without the domain if that is the driver's.
const resource::DeviceAttribute* find_attribute(const Spec& spec, const resource::Device& device,
                                                const std::string& name) {
  if (const auto full = device.attributes.find(name); full != device.attributes.end()) {
    return &full->second;
  }
  if (!name.starts_with(spec.driver + "/")) return nullptr;
  const auto bare = device.attributes.find(name.substr(spec.driver.size() + 1));
  return bare == device.attributes.end() ? nullptr : &bare->second;
}

bool is_fully_qualified(const std::string& name) {
  Causes problems;
  validate_device_key(name, FieldPath(), problems);
  return problems.empty() && name.find('/') != std::string::npos;
}

void validate_partition_type(const Spec& spec, const FieldPath& at, Causes& out) {
  const std::string& name = *spec.partition_type_attribute;
  if (!consumes_counters(spec)) {
    return out.invalid(at / "partitionTypeAttribute", name,
                       "may only be set on a slice which declares devices that consume counters");
  }
  if (!is_fully_qualified(name)) return;  // said declaratively
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const resource::Device& device = spec.devices[i];
    if (device.consumes_counters.empty()) continue;
    const FieldPath attributes = at / "devices" / i / "attributes";
    const resource::DeviceAttribute* attribute = find_attribute(spec, device, name);
    if (!attribute) {
      out.required(attributes[name], "device consumes counters and `partitionTypeAttribute` names this "
                                     "attribute, so it must be set");
    } else if (!attribute->string) {
      out.invalid(attributes[name], internal_value_of(*attribute),
                  "must be a string value because `partitionTypeAttribute` names this attribute");
    }
  }
}

}  // namespace

void validate_slice_spec(const HookContext& context, const Spec& spec, const Spec* old,
                         const FieldPath& at, Causes& out) {
  validate_driver_name(spec.driver, at / "driver", out);
  validate_pool(spec.pool, at / "pool", out);
  if (old) {
    out.immutable(at / "pool" / "name", spec.pool.name, old->pool.name);
    out.immutable(at / "driver", spec.driver, old->driver);
    out.immutable(at / "nodeName", spec.node_name, old->node_name);
  }
  validate_nodes(spec, at, out);
  if (!spec.shared_counters.empty() && !spec.devices.empty()) {
    out.invalid(at, "", "only one of `sharedCounters` or `devices` is allowed");
  }
  validate_devices(context, spec, old, at / "devices", out);
  validate_counter_sets(spec, at / "sharedCounters", out);
  if (spec.partition_type_attribute) validate_partition_type(spec, at, out);
  validate_skip_node_operations(spec.skip_node_operations, at / "skipNodeOperations", out);
}

}  // namespace dray::api
