#include "api/resource_node_selector.h"

#include "api/core_v1.h"
#include "machinery/metadata_validation.h"

namespace dray::api {
namespace {

using Requirement = core::NodeSelectorRequirement;

void validate_value_count(const Requirement& requirement, const FieldPath& at, Causes& out) {
  const std::string& op = requirement.operator_;
  if (op == "In" || op == "NotIn") {
    if (requirement.values.empty()) {
      out.required(at / "values", "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values.empty()) {
      out.forbidden(at / "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (requirement.values.size() != 1) {
      out.required(at / "values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    out.invalid(at / "operator", op, "not a valid selector operator");
  }
}

void validate_expression(const Requirement& requirement, const FieldPath& at, Causes& out) {
  validate_value_count(requirement, at, out);
  validate_label_name(requirement.key, at / "key", out);
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    out.invalid_each(at / "values" / i, requirement.values[i], check_label_value(requirement.values[i]));
  }
}

void validate_field(const Requirement& requirement, const FieldPath& at, Causes& out) {
  if (requirement.operator_ != "In" && requirement.operator_ != "NotIn") {
    out.invalid(at / "operator", requirement.operator_, "not a valid selector operator");
  } else if (requirement.values.size() != 1) {
    out.required(at / "values",
                 "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key != "metadata.name") {
    return out.invalid(at / "key", requirement.key, "not a valid field selector key");
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    out.invalid_each(at / "values" / i, requirement.values[i],
                     check_name_is_subdomain(requirement.values[i]));
  }
}

}  // namespace

void validate_device_node_selector(const core::NodeSelector& selector, const FieldPath& at, Causes& out) {
  const FieldPath terms = at / "nodeSelectorTerms";
  if (selector.node_selector_terms.empty()) {
    return out.required(terms, "must have at least one node selector term");
  }
  for (std::size_t i = 0; i < selector.node_selector_terms.size(); ++i) {
    const core::NodeSelectorTerm& term = selector.node_selector_terms[i];
    const FieldPath here = terms / i;
    for (std::size_t j = 0; j < term.match_expressions.size(); ++j) {
      validate_expression(term.match_expressions[j], here / "matchExpressions" / j, out);
    }
    for (std::size_t j = 0; j < term.match_fields.size(); ++j) {
      validate_field(term.match_fields[j], here / "matchFields" / j, out);
    }
  }
}

}  // namespace dray::api
