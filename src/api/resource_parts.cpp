#include "api/resource_parts.h"

#include <algorithm>
#include <set>

#include "api/expression_check.h"
#include "api/feature_gates.h"
#include "machinery/metadata_validation.h"

namespace dray::api {
namespace {

constexpr int kDriverNameMax = 63;
constexpr int kPoolNameMax = 253;
constexpr int kIdentifierMax = 32;
constexpr std::size_t kBindingConditionsMax = 4;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

void validate_identifier(std::string_view name, const FieldPath& at, Causes& out) {
  if (name.size() > kIdentifierMax) out.too_long(at, kIdentifierMax);
  out.invalid_each(at, name, check_c_identifier(name));
}

void validate_toleration(const resource::DeviceToleration& toleration, const FieldPath& at, Causes& out) {
  if (toleration.operator_ == "Exists") {
    if (!toleration.value.empty()) {
      out.invalid(at / "value", toleration.value, "must be empty for operator `Exists`");
    }
  } else if (toleration.operator_ == "Equal") {
    out.invalid_each(at / "value", toleration.value, check_label_value(toleration.value));
  }
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void validate_condition_names(const std::vector<std::string>& names, const FieldPath& at, Causes& out) {
  if (names.size() > kBindingConditionsMax) return;  // said declaratively
  for (std::size_t i = 0; i < names.size(); ++i) validate_label_name(names[i], at / i, out);
}

void validate_no_duplicates(const std::vector<std::string>& names, const FieldPath& at, Causes& out) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!seen.insert(names[i]).second) out.duplicate(at / i, names[i]);
  }
}

}  // namespace

void validate_driver_name(std::string_view name, const FieldPath& at, Causes& out) {
  if (name.empty()) return out.required(at);
  if (name.size() > kDriverNameMax) out.too_long(at, kDriverNameMax);
  out.invalid_each(at, name, check_dns1123_subdomain(lower_case(name)));
}

void validate_pool_name(std::string_view name, const FieldPath& at, Causes& out) {
  if (name.empty()) return out.required(at);
  if (name.size() > kPoolNameMax) out.too_long(at, kPoolNameMax);
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t slash = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, slash - begin);
    out.invalid_each(at, part, check_dns1123_subdomain(part));
    begin = slash + 1;
  }
}

void validate_device_name(std::string_view name, const FieldPath& at, Causes& out) {
  out.invalid_each(at, name, check_dns1123_label(name));
}

void validate_device_key(std::string_view name, const FieldPath& at, Causes& out) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return validate_identifier(name, at, out);
  const std::string_view domain = name.substr(0, slash), identifier = name.substr(slash + 1);
  if (identifier.find('/') != std::string_view::npos) return;  // a known gap, there too
  if (domain.empty()) {
    out.invalid(at, "", "the domain must not be empty");
  } else {
    validate_driver_name(domain, at, out);
  }
  if (identifier.empty()) {
    out.invalid(at, "", "the name must not be empty");
  } else {
    validate_identifier(identifier, at, out);
  }
}

void validate_taint(const resource::DeviceTaint& taint, const FieldPath& at, Causes& out) {
  validate_label_name(taint.key, at / "key", out);
  if (!taint.value.empty()) out.invalid_each(at / "value", taint.value, check_label_value(taint.value));
}

void validate_tolerations(const std::vector<resource::DeviceToleration>& tolerations,
                          const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) validate_toleration(tolerations[i], at / i, out);
}

void validate_binding_conditions(const std::vector<std::string>& conditions,
                                 const std::vector<std::string>& failure_conditions,
                                 const FieldPath& at, Causes& out) {
  const FieldPath here = at / "bindingConditions", failures = at / "bindingFailureConditions";
  validate_condition_names(conditions, here, out);
  validate_condition_names(failure_conditions, failures, out);
  validate_no_duplicates(conditions, here, out);
  validate_no_duplicates(failure_conditions, failures, out);
  for (std::size_t i = 0; i < failure_conditions.size(); ++i) {
    if (!contains(conditions, failure_conditions[i])) continue;
    out.invalid(failures / i, failure_conditions[i],
                "bindingFailureConditions must not overlap with bindingConditions");
  }
  // Kubernetes prints null for a list that was left out; an empty list and none are the same thing here.
  const BadValue empty = BadValue::raw("[]");
  if (conditions.empty() && !failure_conditions.empty()) {
    out.invalid(here, empty, "bindingConditions are required to use bindingFailureConditions");
  }
  if (failure_conditions.empty() && !conditions.empty()) {
    out.invalid(failures, empty, "bindingFailureConditions are required to use bindingConditions");
  }
}

void validate_skip_node_operations(const std::vector<std::string>& operations, const FieldPath& at,
                                   Causes& out) {
  if (contains(operations, "NodePrepareResources") && !contains(operations, "NodeUnprepareResources") &&
      !contains(operations, "*")) {
    out.invalid(at, operations,
                "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped");
  }
}

void validate_json_object(const RawExtension& value, bool stored, std::size_t bytes_max,
                          const FieldPath& at, Causes& out) {
  if (value.value.is_null()) {
    out.required(at);
  } else if (!stored && print_json(value.value).size() > bytes_max) {
    out.too_long(at, static_cast<int>(bytes_max));
  } else if (!value.value.is_map()) {
    out.invalid(at, "<value omitted>", "must be a valid JSON object");
  }
}

void validate_device_configuration(const resource::DeviceConfiguration& config, bool stored,
                                   const FieldPath& at, Causes& out) {
  if (!config.opaque) return out.required(at / "opaque");
  validate_json_object(config.opaque->parameters, stored, kParametersBytesMax, at / "opaque" / "parameters",
                       out);
}

void validate_selectors(const HookContext& context,
                        const std::vector<resource::DeviceSelector>& selectors, bool stored,
                        const FieldPath& at, Causes& out) {
  if (selectors.size() > kSelectorsMax) return;  // said declaratively
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    if (!selectors[i].cel) {
      out.required(at / i / "cel");
    } else if (!stored) {
      validate_expression(context, selectors[i].cel->expression, false, at / i / "cel" / "expression", out);
    }
  }
}

std::uint64_t validate_expression(const HookContext& context, const std::string& expression,
                                  bool derived_attribute, const FieldPath& at, Causes& out) {
  if (expression.size() > kExpressionBytesMax) {
    out.too_long(at, static_cast<int>(kExpressionBytesMax));
    return 0;
  }
  if (!context.expressions) return 0;
  const Result<std::uint64_t> cost = context.expressions->device_cost(
      expression, {.derived_attribute = derived_attribute,
                   .consumable_capacity = context.gates.enabled("DRAConsumableCapacity"),
                   .list_type_attributes = context.gates.enabled("DRAListTypeAttributes")});
  if (!cost) {
    if (cost.error().code == Code::kInvalid) {
      out.invalid(at, expression, cost.error().message);
    } else {
      out.internal(at, cost.error().message);
    }
    return 0;
  }
  if (*cost > kExpressionCostMax) out.forbidden(at, "too complex, exceeds cost limit");
  return *cost;
}

std::string short_key(std::string_view key, std::size_t size_max) {
  constexpr std::string_view kEllipsis = "...";
  size_max = std::max<std::size_t>(size_max, 16);
  if (key.size() <= size_max) return std::string(key);
  const std::size_t room = size_max - kEllipsis.size();
  return std::string(key.substr(0, (room + 1) / 2)) + std::string(kEllipsis) +
         std::string(key.substr(key.size() - room / 2));
}

}  // namespace dray::api
