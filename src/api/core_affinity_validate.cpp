/// Where a pod may run: node and pod affinity, tolerations, spreading.
#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/feature_gates.h"

namespace dray::api {
namespace {

void validate_node_requirement(const core::NodeSelectorRequirement& requirement, bool check_values,
                               const FieldPath& at, Causes& out) {
  const auto& [key, op, values] = requirement;
  const FieldPath values_at = at / "values";
  if (op == "In" || op == "NotIn") {
    if (values.empty()) out.required(values_at, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) out.forbidden(values_at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) out.required(values_at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    out.invalid(at / "operator", op, "not a valid selector operator");
  }
  validate_label_name(key, at / "key", out);
  if (!check_values) return;
  for (std::size_t i = 0; i < values.size(); ++i) out.invalid_each(values_at / i, values[i], check_label_value(values[i]));
}

void validate_node_field(const core::NodeSelectorRequirement& requirement, const FieldPath& at, Causes& out) {
  const auto& [key, op, values] = requirement;
  const FieldPath values_at = at / "values";
  if (op != "In" && op != "NotIn") {
    out.invalid(at / "operator", op, "not a valid selector operator");
  } else if (values.size() != 1) {
    out.required(values_at, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key != "metadata.name") return out.invalid(at / "key", key, "not a valid field selector key");
  for (std::size_t i = 0; i < values.size(); ++i)
    out.invalid_each(values_at / i, values[i], check_name_is_subdomain(values[i]));
}

void validate_node_term(const core::NodeSelectorTerm& term, bool check_values, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i)
    validate_node_requirement(term.match_expressions[i], check_values, at / "matchExpressions" / i, out);
  for (std::size_t i = 0; i < term.match_fields.size(); ++i)
    validate_node_field(term.match_fields[i], at / "matchFields" / i, out);
}

void validate_weight(std::int32_t weight, const FieldPath& at, Causes& out) {
  if (weight <= 0 || weight > 100) out.invalid(at, weight, "must be in the range 1-100");
}

void validate_label_keys(const std::vector<std::string>& keys, bool has_selector, const FieldPath& at, Causes& out) {
  if (keys.empty()) return;
  if (!has_selector) return out.forbidden(at, "must not be specified when labelSelector is not set");
  for (std::size_t i = 0; i < keys.size(); ++i) validate_label_name(keys[i], at / i, out);
}

/// matchLabelKeys and mismatchLabelKeys beside the selector that they were merged into.
void validate_match_keys(const std::vector<std::string>& match, const std::vector<std::string>& mismatch,
                         const Box<meta::LabelSelector>& selector, const FieldPath& at, Causes& out) {
  validate_label_keys(match, selector.has_value(), at / "matchLabelKeys", out);
  validate_label_keys(mismatch, selector.has_value(), at / "mismatchLabelKeys", out);
  if (selector) {
    // The first expression of a key came from matchLabelKeys; a second one is the user's.
    Names seen;
    for (const auto& [key, value] : selector->match_labels) seen.insert(key);
    for (const auto& expression : selector->match_expressions) {
      const auto found = std::ranges::find(match, expression.key);
      if (found != match.end() && seen.contains(expression.key))
        out.invalid(at / (found - match.begin()), expression.key, "exists in both matchLabelKeys and labelSelector");
      seen.insert(expression.key);
    }
  }
  for (std::size_t i = 0; i < match.size(); ++i)
    if (std::ranges::find(mismatch, match[i]) != mismatch.end())
      out.invalid(at / "matchLabelKeys" / i, match[i], "exists in both matchLabelKeys and mismatchLabelKeys");
}

void validate_pod_term(const core::PodAffinityTerm& term, const FieldPath& at, Causes& out) {
  if (term.label_selector) validate_label_selector(*term.label_selector, at / "labelSelector", out);
  if (term.namespace_selector) validate_label_selector(*term.namespace_selector, at / "namespaceSelector", out);
  for (const std::string& name : term.namespaces)
    out.invalid_each(at / "namespace", name, check_name_is_label(name));
  validate_match_keys(term.match_label_keys, term.mismatch_label_keys, term.label_selector, at, out);
  if (term.topology_key.empty()) out.required(at / "topologyKey", "can not be empty");
  validate_label_name(term.topology_key, at / "topologyKey", out);
}

template <class PodAffinity>
void validate_pod_affinity(const Box<PodAffinity>& affinity, const FieldPath& at, Causes& out) {
  if (!affinity) return;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  const auto& preferred = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < required.size(); ++i)
    validate_pod_term(required[i], at / "requiredDuringSchedulingIgnoredDuringExecution" / i, out);
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath here = at / "preferredDuringSchedulingIgnoredDuringExecution" / i;
    validate_weight(preferred[i].weight, here / "weight", out);
    validate_pod_term(preferred[i].pod_affinity_term, here / "podAffinityTerm", out);
  }
}

void validate_node_affinity(const core::NodeAffinity& affinity, const FieldPath& at, Causes& out) {
  if (const auto& required = affinity.required_during_scheduling_ignored_during_execution)
    validate_node_selector(*required, at / "requiredDuringSchedulingIgnoredDuringExecution", out);
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath here = at / "preferredDuringSchedulingIgnoredDuringExecution" / i;
    validate_weight(preferred[i].weight, here / "weight", out);
    validate_node_term(preferred[i].preference, false, here / "preference", out);
  }
}

bool uses_comparison(const std::vector<core::Toleration>& tolerations) {
  return std::ranges::any_of(tolerations, [](const core::Toleration& toleration) {
    return toleration.operator_ == "Lt" || toleration.operator_ == "Gt";
  });
}

/// A decimal integer without sign tricks or leading zeros, and small enough for 64 bits.
void validate_number(const std::string& value, const FieldPath& at, Causes& out) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size() && std::to_string(number) == value) return;
  if (error == std::errc::result_out_of_range)
    return out.invalid(at, value, fmt::format("strconv.ParseInt: parsing {}: value out of range", go_quoted(value)));
  out.invalid(at, value, "must be a valid decimal integer in canonical form");
  if (error != std::errc() || end != value.data() + value.size())
    out.invalid(at, value, fmt::format("strconv.ParseInt: parsing {}: invalid syntax", go_quoted(value)));
}

void validate_toleration(const core::Toleration& toleration, bool compares, const FieldPath& at, Causes& out) {
  const std::string& op = toleration.operator_;
  if (!toleration.key.empty()) validate_label_name(toleration.key, at / "key", out);
  if (toleration.key.empty() && op != "Exists")
    out.invalid(at / "operator", op,
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  if (toleration.toleration_seconds && toleration.effect != "NoExecute")
    out.invalid(at / "effect", toleration.effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (op.empty() || op == "Equal") {
    if (const Problems problems = check_label_value(toleration.value); !problems.empty()) {
      std::string text = problems.front();
      for (std::size_t i = 1; i < problems.size(); ++i) text += ";" + problems[i];
      out.invalid(at / "operator", toleration.value, text);
    }
  } else if (op == "Exists") {
    if (!toleration.value.empty())
      out.invalid(at / "operator", toleration.value, "value must be empty when `operator` is 'Exists'");
  } else if (op == "Lt" || op == "Gt") {
    if (compares) {
      validate_number(toleration.value, at / "value", out);
    } else {
      out.not_supported(at / "operator", op, {"Equal", "Exists", "Lt", "Gt"});
    }
  } else {
    out.not_supported(at / "operator", op, {"Equal", "Exists"});
  }
  if (!toleration.effect.empty()) validate_taint_effect(toleration.effect, at / "effect", out);
}

void validate_inclusion(const std::optional<std::string>& policy, const FieldPath& at, Causes& out) {
  if (policy && *policy != "Honor" && *policy != "Ignore") out.not_supported(at, *policy, {"Honor", "Ignore"});
}

/// Without the merge into the selector, the selector may not name the keys at all.
void validate_unmerged_keys(const core::TopologySpreadConstraint& constraint, const FieldPath& at, Causes& out) {
  const auto& keys = constraint.match_label_keys;
  if (keys.empty()) return;
  Names selected;
  if (const auto& selector = constraint.label_selector) {
    for (const auto& [key, value] : selector->match_labels) selected.insert(key);
    for (const auto& expression : selector->match_expressions) selected.insert(expression.key);
  } else {
    out.forbidden(at, "must not be specified when labelSelector is not set");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    validate_label_name(keys[i], at / i, out);
    if (selected.contains(keys[i])) out.invalid(at / i, keys[i], "exists in both matchLabelKeys and labelSelector");
  }
}

}  // namespace

void validate_node_selector(const core::NodeSelector& selector, const FieldPath& at, Causes& out) {
  const auto& terms = selector.node_selector_terms;
  if (terms.empty()) return out.required(at / "nodeSelectorTerms", "must have at least one node selector term");
  for (std::size_t i = 0; i < terms.size(); ++i) validate_node_term(terms[i], true, at / "nodeSelectorTerms" / i, out);
}

void validate_affinity(const core::Affinity& affinity, const FieldPath& at, Causes& out) {
  if (affinity.node_affinity) validate_node_affinity(*affinity.node_affinity, at / "nodeAffinity", out);
  validate_pod_affinity(affinity.pod_affinity, at / "podAffinity", out);
  validate_pod_affinity(affinity.pod_anti_affinity, at / "podAntiAffinity", out);
}

void validate_taint_effect(std::string_view effect, const FieldPath& at, Causes& out) {
  if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute")
    out.not_supported(at, effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void validate_tolerations(const std::vector<core::Toleration>& tolerations, const PodRules& rules,
                          const FieldPath& at, Causes& out) {
  const bool compares = rules.gates.enabled("TaintTolerationComparisonOperators") ||
                        (rules.old != nullptr && uses_comparison(rules.old->tolerations));
  for (std::size_t i = 0; i < tolerations.size(); ++i) validate_toleration(tolerations[i], compares, at / i, out);
}

void validate_topology_spread(const std::vector<core::TopologySpreadConstraint>& constraints,
                              const PodRules& rules, const FieldPath& at, Causes& out) {
  const bool merged = rules.gates.enabled("MatchLabelKeysInPodTopologySpread") &&
                      rules.gates.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge");
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const core::TopologySpreadConstraint& constraint = constraints[i];
    const FieldPath here = at / i;
    validate_positive(constraint.max_skew, here / "maxSkew", out);
    if (constraint.topology_key.empty()) out.required(here / "topologyKey", "can not be empty");
    const std::string& action = constraint.when_unsatisfiable;
    if (action != "DoNotSchedule" && action != "ScheduleAnyway")
      out.not_supported(here / "whenUnsatisfiable", action, {"DoNotSchedule", "ScheduleAnyway"});
    const auto repeats = [&](const core::TopologySpreadConstraint& other) {
      return other.topology_key == constraint.topology_key && other.when_unsatisfiable == action;
    };
    if (std::any_of(constraints.begin() + static_cast<std::ptrdiff_t>(i) + 1, constraints.end(), repeats))
      out.duplicate(here / "{topologyKey, whenUnsatisfiable}",
                    fmt::format("{{{}, {}}}", constraint.topology_key, action));
    if (constraint.min_domains) {
      validate_positive(*constraint.min_domains, here / "minDomains", out);
      if (action != "DoNotSchedule")
        out.invalid(here / "minDomains", *constraint.min_domains,
                    fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
    }
    validate_inclusion(constraint.node_affinity_policy, here / "nodeAffinityPolicy", out);
    validate_inclusion(constraint.node_taints_policy, here / "nodeTaintsPolicy", out);
    if (merged) {
      validate_match_keys(constraint.match_label_keys, {}, constraint.label_selector, here, out);
    } else {
      validate_unmerged_keys(constraint, here / "matchLabelKeys", out);
    }
    if (constraint.label_selector) validate_label_selector(*constraint.label_selector, here / "labelSelector", out);
  }
}

}  // namespace dray::api
