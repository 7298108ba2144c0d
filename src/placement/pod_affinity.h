/// InterPodAffinity: which topology domains attract or repel a pod, for one pod's decision.
/// Source: scheduler/framework/plugins/interpodaffinity.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "placement/state.h"
#include "placement/verdict.h"

namespace dray::placement {

/// Counts per (topology key, value).
using TopologyCounts = std::unordered_map<std::string, std::unordered_map<std::string, std::int64_t>>;

/// Required terms, of the pod and of pods that are there. Counts follow what a trial adds and removes.
class AffinityFilter {
 public:
  AffinityFilter(const State& state, const PodInfo& pod);
  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] Verdict check(const NodeInfo& node) const;
  void count(const PodInfo& other, const NodeInfo& node, int by);

 private:
  [[nodiscard]] bool matches_all(const PodInfo& other) const;
  [[nodiscard]] bool satisfies_affinity(const NodeInfo& node) const;
  [[nodiscard]] bool violates_anti_affinity(const NodeInfo& node) const;
  [[nodiscard]] bool repelled(const NodeInfo& node) const;

  const State& state_;
  const PodInfo& pod_;
  bool active_ = false;
  TopologyCounts affinity_, anti_affinity_, existing_anti_affinity_;
};

/// Preferred terms, and required affinity of pods that are there (weight 1). Normalised, in the order
/// of `feasible`; empty if nothing is preferred.
[[nodiscard]] std::vector<std::int64_t> affinity_scores(const State& state, const PodInfo& pod,
                                                        const std::vector<NodeIndex>& feasible);

}  // namespace dray::placement
