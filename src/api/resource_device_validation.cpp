#include "api/resource_device_validation.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <set>

#include "api/core_v1.h"
#include "api/core_validate.h"
#include "api/resource_capacity_validation.h"
#include "api/resource_parts.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr std::size_t kNamesMax = 32;           // attributes and capacities together
constexpr std::size_t kAttributeValuesMax = 48;
constexpr int kValueBytesMax = 64;
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kConsumptionsMax = 2;
constexpr std::size_t kCountersMax = 32;
constexpr std::size_t kKeyMax = 63 + 1 + 32;

bool is_semver(const std::string& text) {
  static const RE2 pattern(
      R"((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*))"
      R"((-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?)"
      R"((\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?)");
  return RE2::FullMatch(text, pattern);
}

void validate_version(const std::string& text, const FieldPath& at, Causes& out) {
  if (!is_semver(text)) {
    out.invalid(at, text, "must be a string compatible with semver.org spec 2.0.0");
  }
  if (text.size() > kValueBytesMax) out.too_long(at, kValueBytesMax);
}

void validate_attribute(const resource::DeviceAttribute& attribute, const FieldPath& at, Causes& out) {
  if (attribute.string && attribute.string->size() > kValueBytesMax) {
    out.too_long(at / "string", kValueBytesMax);
  }
  if (attribute.version) validate_version(*attribute.version, at / "version", out);
  for (std::size_t i = 0; i < attribute.strings.size(); ++i) {
    if (attribute.strings[i].size() > kValueBytesMax) out.too_long(at / "strings" / i, kValueBytesMax);
  }
  for (std::size_t i = 0; i < attribute.versions.size(); ++i) {
    validate_version(attribute.versions[i], at / "versions" / i, out);
  }
}

std::size_t value_count(const resource::DeviceAttribute& attribute) {
  if (!has_list_value(attribute)) return 1;
  return attribute.ints.size() + attribute.bools.size() + attribute.strings.size() +
         attribute.versions.size();
}

void validate_totals(const resource::Device& device, const FieldPath& at, Causes& out) {
  if (const std::size_t names = device.attributes.size() + device.capacity.size(); names > kNamesMax) {
    out.invalid(at, names,
                fmt::format("the total number of attributes and capacities must not exceed {}", kNamesMax));
  }
  std::size_t values = 0;
  for (const auto& [name, attribute] : device.attributes) values += value_count(attribute);
  if (values > kAttributeValuesMax) {
    out.invalid(at, values, fmt::format("the total number of attribute values must not exceed {}",
                                        kAttributeValuesMax));
  }
}

void validate_attributes(const resource::Device& device, const FieldPath& at, Causes& out) {
  for (const auto& [name, attribute] : device.attributes) {
    validate_device_key(name, at, out);
    validate_attribute(attribute, at[short_key(name, kKeyMax)], out);
  }
}

/// Names of counters and what they are taken from are checked declaratively.
void validate_consumption(const resource::Device& device, const FieldPath& at, Causes& out) {
  if (device.consumes_counters.size() > kConsumptionsMax) return;
  for (std::size_t i = 0; i < device.consumes_counters.size(); ++i) {
    const std::size_t counters = device.consumes_counters[i].counters.size();
    if (counters > kCountersMax) {
      out.too_many(at / i / "counters", static_cast<std::int64_t>(counters), kCountersMax);
    }
  }
}

void validate_taints(const resource::Device& device, const FieldPath& at, Causes& out) {
  if (device.taints.size() > kTaintsMax) {
    return out.too_many(at, static_cast<std::int64_t>(device.taints.size()), kTaintsMax);
  }
  for (std::size_t i = 0; i < device.taints.size(); ++i) validate_taint(device.taints[i], at / i, out);
}

bool same_taints(const resource::Device& a, const resource::Device& b) {
  if (a.taints.size() != b.taints.size()) return false;
  for (std::size_t i = 0; i < a.taints.size(); ++i) {
    if (!equal(a.taints[i], b.taints[i])) return false;
  }
  return true;
}

bool same_capacity(const resource::Device& a, const resource::Device& b) {
  if (a.capacity.size() != b.capacity.size()) return false;
  for (auto i = a.capacity.begin(), j = b.capacity.begin(); i != a.capacity.end(); ++i, ++j) {
    if (i->first != j->first || !equal(i->second, j->second)) return false;
  }
  return true;
}

void validate_own_nodes(const resource::Device& device, const FieldPath& at, Causes& out) {
  constexpr std::string_view kExactlyOne =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  std::string set;
  int count = 0;
  const auto add = [&](std::string_view name) {
    set += fmt::format("{}`{}`", set.empty() ? "" : ", ", name);
    ++count;
  };
  if (device.node_name && device.node_name->empty()) {
    out.invalid(at / "nodeName", "", "must not be empty");
  } else if (device.node_name) {
    add("nodeName");
    out.invalid_each(at / "nodeName", *device.node_name, check_name_is_subdomain(*device.node_name));
  }
  if (device.node_selector) {
    add("nodeSelector");
    validate_node_selector(*device.node_selector, at / "nodeSelector", out);
  }
  if (device.all_nodes && *device.all_nodes) add("allNodes");
  if (device.all_nodes && !*device.all_nodes) {
    out.invalid(at / "allNodes", false, "must be either unset or set to true");
  }
  if (count == 0) out.required(at, kExactlyOne);
  if (count > 1) out.invalid(at, "{" + set + "}", kExactlyOne);
}

void validate_nodes(const resource::Device& device, bool per_device_nodes, const FieldPath& at,
                    Causes& out) {
  if (per_device_nodes) return validate_own_nodes(device, at, out);
  if (!device.node_name && !device.node_selector && !device.all_nodes) return;
  out.invalid(at, BadValue::raw("null"),
              "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is "
              "set to true in the ResourceSlice spec");
}

}  // namespace

void validate_device(const FeatureGates& gates, const resource::Device& device,
                     const resource::Device* old, bool per_device_nodes, const FieldPath& at, Causes& out) {
  validate_device_name(device.name, at / "name", out);
  validate_totals(device, at, out);
  validate_attributes(device, at / "attributes", out);
  // What a driver has published once it may publish again, whatever the rules are by now.
  if (!old || !same_capacity(device, *old)) {
    validate_capacities(gates, device.capacity, device.allow_multiple_allocations.value_or(false),
                        at / "capacity", out);
  }
  if (!old || !same_taints(device, *old)) validate_taints(device, at / "taints", out);
  validate_consumption(device, at / "consumesCounters", out);
  validate_nodes(device, per_device_nodes, at, out);
  validate_binding_conditions(device.binding_conditions, device.binding_failure_conditions, at, out);
  validate_node_allocatable(device.node_allocatable_resources, device.capacity,
                            at / "nodeAllocatableResources", out);
}

bool has_list_value(const resource::DeviceAttribute& attribute) {
  return !attribute.ints.empty() || !attribute.bools.empty() || !attribute.strings.empty() ||
         !attribute.versions.empty();
}

}  // namespace dray::api
