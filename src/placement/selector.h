/// Label selectors, node selectors, taints and tolerations, matched directly on the API's structs.
/// Pure. What validation refuses (unknown operators, numbers that are none) matches nothing.
///
/// Source: apimachinery/pkg/labels, component-helpers/scheduling/corev1.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dray::core {
struct Node;
struct NodeSelector;
struct NodeSelectorTerm;
struct PodSpec;
struct Taint;
struct Toleration;
}  // namespace dray::core
namespace dray::meta {
struct LabelSelector;
}

namespace dray::placement {

using Labels = std::map<std::string, std::string>;

/// The value of a label; null if absent.
[[nodiscard]] const std::string* find_label(const Labels& labels, std::string_view key);

/// Null matches nothing, an empty selector everything.
[[nodiscard]] bool matches(const meta::LabelSelector* selector, const Labels& labels);
/// Whether it has no requirement (then it matches everything).
[[nodiscard]] bool is_empty(const meta::LabelSelector& selector);

/// Terms are ORed; an empty term and an empty list match nothing.
[[nodiscard]] bool matches(const core::NodeSelectorTerm& term, const core::Node& node);
[[nodiscard]] bool matches(const core::NodeSelector& selector, const core::Node& node);
/// spec.nodeSelector and the required terms of spec.affinity.nodeAffinity.
[[nodiscard]] bool matches_required_affinity(const core::PodSpec& pod, const core::Node& node);

[[nodiscard]] bool tolerates(const core::Toleration& toleration, const core::Taint& taint);
[[nodiscard]] bool tolerates(const std::vector<core::Toleration>& tolerations, const core::Taint& taint);
/// The node's first NoSchedule or NoExecute taint that nothing tolerates; null if there is none.
[[nodiscard]] const core::Taint* untolerated_taint(const core::Node& node,
                                                   const std::vector<core::Toleration>& tolerations);

}  // namespace dray::placement
