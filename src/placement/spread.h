/// PodTopologySpread: counts of matching pods per topology domain, for one pod's decision.
/// Source: scheduler/framework/plugins/podtopologyspread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "placement/state.h"
#include "placement/verdict.h"

namespace dray::placement {

/// Hard constraints. Counts follow pods that a trial adds and removes.
class SpreadFilter {
 public:
  SpreadFilter(const State& state, const PodInfo& pod);
  [[nodiscard]] bool active() const { return !pod_.hard_spread.empty(); }
  [[nodiscard]] Verdict check(const NodeInfo& node) const;
  void count(const PodInfo& other, const NodeInfo& node, int by);

 private:
  using Domains = std::unordered_map<std::string, int>;
  [[nodiscard]] bool has_all_keys(const NodeInfo& node) const;
  [[nodiscard]] bool counts(const SpreadConstraint& c, const NodeInfo& node) const;
  [[nodiscard]] int minimum(std::size_t constraint) const;

  const PodInfo& pod_;
  std::vector<Domains> domains_;
};

/// Soft constraints (the pod's own, or the default ones if a selector is given).
class SpreadScore {
 public:
  SpreadScore(const State& state, const PodInfo& pod, std::vector<SpreadConstraint> constraints,
              bool all_keys_required, const std::vector<NodeIndex>& feasible);
  [[nodiscard]] bool active() const { return !constraints_.empty(); }
  /// Normalised scores in the order of `feasible`.
  [[nodiscard]] std::vector<std::int64_t> scores(const std::vector<NodeIndex>& feasible) const;

 private:
  [[nodiscard]] bool has_all_keys(const NodeInfo& node) const;
  [[nodiscard]] double raw(const NodeInfo& node) const;

  const State& state_;
  const PodInfo& pod_;
  std::vector<SpreadConstraint> constraints_;
  bool all_keys_required_;
  std::vector<std::unordered_map<std::string, std::int64_t>> domains_;
  std::vector<double> weights_;
};

/// Pods of the namespace on the node that match and are not being deleted; an empty selector: none.
[[nodiscard]] int count_matching(const NodeInfo& node, const SpreadConstraint& constraint,
                                 const std::string& namespace_);

}  // namespace dray::placement
