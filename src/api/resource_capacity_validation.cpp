#include "api/resource_capacity_validation.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "api/resource_parts.h"

namespace dray::api {
namespace {

constexpr std::size_t kValidValuesMax = 10;
constexpr std::size_t kKeyMax = 63 + 1 + 32;

using Policy = resource::CapacityRequestPolicy;
using Range = resource::CapacityRequestPolicyRange;

const Quantity& int64_max() {
  static const Quantity max = Quantity::of(INT64_MAX);
  return max;
}

bool is_fractional(Quantity quantity) { return !quantity.round_up(0); }

void validate_values(bool decimal_keys, const Policy& policy, const Quantity& capacity, const FieldPath& at,
                     Causes& out) {
  const std::vector<Quantity>& values = policy.valid_values;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i - 1] > values[i]) {
      out.invalid(at / i, values[i].str(), "values must be sorted in ascending order");
    }
  }
  bool found_default = false;
  if (values.size() > kValidValuesMax) {
    out.too_many(at, static_cast<std::int64_t>(values.size()), kValidValuesMax);
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] > capacity) {
        out.invalid(at / i, values[i].str(),
                    fmt::format("option is larger than capacity value: {}", capacity.str()));
      }
      if (values[i] == *policy.default_) found_default = true;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Whole numbers only with the gate off: 250m and 500m are both a 1, there and here.
      const std::string key = decimal_keys ? values[i].decimal() : std::to_string(values[i].value());
      if (!seen.insert(key).second) out.duplicate(at / i, key);
    }
  }
  if (!found_default) {
    out.invalid(at, policy.default_->str(), "default value is not valid according to the requestPolicy");
  }
}

struct Bound {
  const char* name;
  const Quantity* value;
};

/// The numbers of a range, as far as they are given.
std::vector<Bound> bounds_of(const Range& range, const Quantity& default_value) {
  std::vector<Bound> out = {{"default", &default_value}, {"min", &*range.min}};
  if (range.max) out.push_back({"max", &*range.max});
  if (range.step) out.push_back({"step", &*range.step});
  return out;
}

void validate_order(const Range& range, const Quantity& default_value, const Quantity& capacity,
                    const FieldPath& at, Causes& out) {
  if (*range.min > capacity) {
    out.invalid(at / "min", range.min->str(),
                fmt::format("min is larger than capacity value: {}", capacity.str()));
  }
  if (default_value < *range.min) {
    out.invalid(at / "default", default_value.str(),
                fmt::format("default is less than min: {}", range.min->str()));
  }
  if (!range.max) return;
  if (*range.min > *range.max) {
    out.invalid(at / "max", range.min->str(), fmt::format("min is larger than max: {}", range.max->str()));
  }
  if (*range.max > capacity) {
    out.invalid(at / "max", range.max->str(),
                fmt::format("max is larger than capacity value: {}", capacity.str()));
  }
  if (default_value > *range.max) {
    out.invalid(at / "default", default_value.str(),
                fmt::format("default is more than max: {}", range.max->str()));
  }
}

/// Whether milli arithmetic is exact.
bool validate_milli(const std::vector<Bound>& bounds, const FieldPath& at, Causes& out) {
  bool safe = true;
  for (const Bound& bound : bounds) {
    if (Quantity::milli(bound.value->milli_value()) == *bound.value) continue;
    out.invalid(at / bound.name, bound.value->str(), "value cannot be represented as a milli value");
    safe = false;
  }
  return safe;
}

/// Whether integer arithmetic is exact.
bool validate_integers(const std::vector<Bound>& bounds, const FieldPath& at, Causes& out) {
  bool safe = true;
  for (const Bound& bound : bounds) {
    if (bound.value->sign() < 0) {
      out.invalid(at / bound.name, bound.value->str(), "must be greater than or equal to 0");
      safe = false;
    } else if (*bound.value > int64_max()) {
      out.invalid(at / bound.name, bound.value->str(), "must not be larger than 9223372036854775807");
      safe = false;
    }
  }
  return safe;
}

void validate_multiple(const Quantity& value, const Range& range, bool milli, const FieldPath& at,
                       Causes& out) {
  const auto number = [&](const Quantity& q) { return milli ? q.milli_value() : q.value(); };
  // Two's complement, as in Go.
  const auto distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(number(value)) -
                                                  static_cast<std::uint64_t>(number(*range.min)));
  if (distance % number(*range.step) == 0) return;
  out.invalid(at, value.str(), fmt::format("value is not a multiple of a given step ({}) from ({})",
                                           range.step->str(), range.min->str()));
}

void validate_range(bool fractional_allowed, const Policy& policy, const Quantity& capacity,
                    const FieldPath& at, Causes& out) {
  const Range& range = *policy.valid_range;
  const Quantity& default_value = *policy.default_;
  if (!range.min) return out.required(at / "min", "required when validRange is defined");
  validate_order(range, default_value, capacity, at, out);
  const std::vector<Bound> bounds = bounds_of(range, default_value);
  bool milli = false;
  if (fractional_allowed) {
    for (const Bound& bound : bounds) milli = milli || is_fractional(*bound.value);
    if (milli && !validate_milli(bounds, at, out)) return;
  }
  if (!range.step) return;
  const FieldPath step = at / "step";
  if (range.step->sign() <= 0) return out.invalid(step, range.step->str(), "must be greater than zero");
  if (const Quantity first = *range.min + *range.step; first > capacity) {
    out.invalid(step, range.step->str(),
                fmt::format("one step {} is larger than capacity value: {}", first.str(), capacity.str()));
  }
  if (!milli && !validate_integers(bounds, at, out)) return;
  validate_multiple(default_value, range, milli, step, out);
  if (range.max) validate_multiple(*range.max, range, milli, step, out);
}

void validate_policy(const FeatureGates& gates, const Policy& policy, const Quantity& capacity,
                     const FieldPath& at, Causes& out) {
  const bool fractional = gates.enabled("DRAFractionalCapacityRange");
  const bool values = !policy.valid_values.empty();
  if (values && policy.valid_range) {
    return out.forbidden(at, R"(exactly one policy can be specified, cannot specify "validValues" and )"
                             R"("validRange" at the same time)");
  }
  if (!values && !policy.valid_range) return;
  if (!policy.default_) {
    return out.required(at / "default", fmt::format("required when {} is defined",
                                                    values ? "validValues" : "validRange"));
  }
  if (values) {
    validate_values(fractional, policy, capacity, at / "validValues", out);
  } else {
    validate_range(fractional, policy, capacity, at / "validRange", out);
  }
}

void validate_mapping(const resource::NodeAllocatableMapping& mapping, const Capacities& capacities,
                      const FieldPath& at, Causes& out) {
  if (mapping.capacity_key) {
    if (mapping.capacity_key->empty()) {
      out.invalid(at / "capacityKey", "", "capacityKey must not be an empty string");
    } else if (!capacities.contains(*mapping.capacity_key)) {
      out.not_found(at / "capacityKey", *mapping.capacity_key);
    }
    if (!mapping.capacity_multiplier) {
      out.required(at / "capacityMultiplier", "capacityMultiplier is required when capacityKey is set");
    } else if (mapping.capacity_multiplier->sign() <= 0) {
      out.invalid(at / "capacityMultiplier", mapping.capacity_multiplier->str(), "must be positive");
    }
  }
  if (mapping.device_multiplier && mapping.device_multiplier->sign() <= 0) {
    out.invalid(at / "deviceMultiplier", mapping.device_multiplier->str(), "must be positive");
  }
  if (mapping.capacity_multiplier && !mapping.capacity_key) {
    out.required(at / "capacityKey", "capacityKey is required when capacityMultiplier is set");
  }
}

void validate_overhead(const resource::NodeAllocatableOverhead& overhead, const FieldPath& at, Causes& out) {
  if (!overhead.per_pod && !overhead.per_container) {
    return out.invalid(at, "", "at least one of perPod or perContainer must be set");
  }
  if (overhead.per_pod && overhead.per_pod->sign() < 0) {
    out.invalid(at / "perPod", overhead.per_pod->str(), "must be non-negative");
  }
  if (overhead.per_container && overhead.per_container->sign() < 0) {
    out.invalid(at / "perContainer", overhead.per_container->str(), "must be non-negative");
  }
}

}  // namespace

void validate_capacities(const FeatureGates& gates, const Capacities& capacities, bool shared,
                         const FieldPath& at, Causes& out) {
  for (const auto& [name, capacity] : capacities) {
    validate_device_key(name, at, out);
    if (!capacity.request_policy) continue;
    const std::string key = short_key(name, kKeyMax);
    const FieldPath entry = at[key];
    const FieldPath policy = entry / "requestPolicy";
    if (shared) {
      validate_policy(gates, *capacity.request_policy, capacity.value, policy, out);
    } else {
      out.forbidden(policy, "allowMultipleAllocations must be true");
    }
  }
}

void validate_node_allocatable(const std::map<std::string, resource::NodeAllocatableResource>& resources,
                               const Capacities& capacities, const FieldPath& at, Causes& out) {
  for (const auto& [name, use] : resources) {
    const FieldPath here = at[name];
    if (name != "cpu" && name != "memory" && !name.starts_with("hugepages-")) {
      out.invalid(here, name, "must be a node allocatable resource name");
    }
    if (!use.mapping && !use.overhead) {
      out.required(here, "at least one of mapping or overhead must be set");
    }
    if (use.mapping) validate_mapping(*use.mapping, capacities, here / "mapping", out);
    if (use.overhead) validate_overhead(*use.overhead, here / "overhead", out);
  }
}

}  // namespace dray::api
