#include "placement/selector.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/core_v1.h"
#include "machinery/meta_v1.h"

namespace dray::placement {
namespace {

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return number;
}

bool compares(const std::string& op, const std::string* label, const std::vector<std::string>& values) {
  if (label == nullptr || values.size() != 1) return false;
  const auto left = integer(*label);
  const auto right = integer(values.front());
  if (!left || !right) return false;
  return op == "Gt" ? *left > *right : *left < *right;
}

/// One requirement, of a label selector or of a node selector.
bool holds(const std::string& op, const std::string* label, const std::vector<std::string>& values) {
  if (op == "In") return label != nullptr && contains(values, *label);
  if (op == "NotIn") return label == nullptr || !contains(values, *label);
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  if (op == "Gt" || op == "Lt") return compares(op, label, values);
  return false;
}

bool field_holds(const core::NodeSelectorRequirement& field, const core::Node& node) {
  if (field.key != "metadata.name" || field.values.size() != 1) return false;
  if (field.operator_ == "In") return field.values.front() == node.metadata.name;
  if (field.operator_ == "NotIn") return field.values.front() != node.metadata.name;
  return false;
}

}  // namespace

const std::string* find_label(const Labels& labels, std::string_view key) {
  const auto at = labels.find(std::string(key));
  return at == labels.end() ? nullptr : &at->second;
}

bool matches(const meta::LabelSelector* selector, const Labels& labels) {
  if (selector == nullptr) return false;
  for (const auto& [key, value] : selector->match_labels) {
    const auto at = labels.find(key);
    if (at == labels.end() || at->second != value) return false;
  }
  for (const auto& wanted : selector->match_expressions) {
    if (!holds(wanted.operator_, find_label(labels, wanted.key), wanted.values)) return false;
  }
  return true;
}

bool is_empty(const meta::LabelSelector& selector) {
  return selector.match_labels.empty() && selector.match_expressions.empty();
}

bool matches(const core::NodeSelectorTerm& term, const core::Node& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  for (const auto& wanted : term.match_expressions) {
    if (!holds(wanted.operator_, find_label(node.metadata.labels, wanted.key), wanted.values)) {
      return false;
    }
  }
  return std::all_of(term.match_fields.begin(), term.match_fields.end(),
                     [&](const auto& field) { return field_holds(field, node); });
}

bool matches(const core::NodeSelector& selector, const core::Node& node) {
  return std::any_of(selector.node_selector_terms.begin(), selector.node_selector_terms.end(),
                     [&](const auto& term) { return matches(term, node); });
}

bool matches_required_affinity(const core::PodSpec& pod, const core::Node& node) {
  for (const auto& [key, value] : pod.node_selector) {
    const auto at = node.metadata.labels.find(key);
    if (at == node.metadata.labels.end() || at->second != value) return false;
  }
  if (!pod.affinity || !pod.affinity->node_affinity) return true;
  const auto& required = pod.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  return !required || matches(*required, node);
}

bool tolerates(const core::Toleration& toleration, const core::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  if (toleration.operator_.empty() || toleration.operator_ == "Equal") {
    return toleration.value == taint.value;
  }
  return false;
}

bool tolerates(const std::vector<core::Toleration>& tolerations, const core::Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const auto& toleration) { return tolerates(toleration, taint); });
}

const core::Taint* untolerated_taint(const core::Node& node,
                                     const std::vector<core::Toleration>& tolerations) {
  for (const auto& taint : node.spec.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    if (!tolerates(tolerations, taint)) return &taint;
  }
  return nullptr;
}

}  // namespace dray::placement
