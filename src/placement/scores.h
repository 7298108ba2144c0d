/// The scores of the default profile that need nothing but the pod and the node.
/// Source: scheduler/framework/plugins/{noderesources,tainttoleration,nodeaffinity,imagelocality}.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/state.h"

namespace dray::placement {

inline constexpr std::int64_t kScoreMax = 100;

/// Weights of the default profile.
struct Weights {
  std::int64_t taints = 3, node_affinity = 2, least_allocated = 1, balanced = 1, images = 1;
  std::int64_t spread = 2, pod_affinity = 2, devices = 2;
};

/// Mean of what is left of cpu and memory after the pod, in percent.
[[nodiscard]] std::int64_t least_allocated_score(const PodInfo& pod, const NodeInfo& node);
/// How much nearer cpu and memory get to each other; 75 for no change.
[[nodiscard]] std::int64_t balanced_score(const PodInfo& pod, const NodeInfo& node);
[[nodiscard]] std::int64_t image_score(const State& state, const PodInfo& pod, const NodeInfo& node);
/// Raw: untolerated PreferNoSchedule taints.
[[nodiscard]] std::int64_t taint_count(const PodInfo& pod, const NodeInfo& node);
/// Raw: weights of the preferred terms that match.
[[nodiscard]] std::int64_t affinity_weight(const PodInfo& pod, const NodeInfo& node);

/// In place, to 0..100; reversed, the smallest raw value is best.
void normalise(std::vector<std::int64_t>& scores, bool reversed);

}  // namespace dray::placement
