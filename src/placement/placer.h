/// Where a pod goes: filter the nodes, score those that are left, pick one.
/// Source: scheduler/schedule_one.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/random.h"
#include "placement/cycle.h"
#include "placement/node_classes.h"
#include "placement/scores.h"

namespace dray::placement {

struct PlacerOptions {
  /// 0: fewer in larger clusters, as Kubernetes does.
  int percentage_of_nodes_to_score = 0;
  Weights weights;
};

struct Placed {
  NodeIndex node = kNoNode;
  std::size_t evaluated = 0;
  std::size_t feasible = 0;
  bool by_class = false;  // decided by what equal pods taught
};
/// The attempt as a whole failed; it is repeated after a pause.
struct PlaceError {
  std::string message;
  Plugin plugin = Plugin::kDynamicResources;
};
/// Diagnosis with node_count 0: there are no nodes.
using PlaceOutcome = std::variant<Placed, Diagnosis, PlaceError>;

/// The default constraints' selector of a pod: by the services and sets that it belongs to; null if it
/// belongs to none.
using SpreadSelector = std::function<Box<meta::LabelSelector>(const core::Pod& pod)>;

/// Confined to the thread of its state.
class Placer {
 public:
  Placer(State& state, Rng rng, PlacerOptions options = {}, SpreadSelector spread_selector = {});

  /// `restricted`: only these nodes count (a topology domain).
  /// `alike`: pods with equal texts get equal answers; empty: the pod is like no other.
  [[nodiscard]] PlaceOutcome place(Cycle& cycle, const std::string& nominated_node = {},
                                   const std::vector<NodeIndex>* restricted = nullptr,
                                   const std::string& alike = {});

  /// Of nodes that passed the filters, the best; equal ones by chance.
  [[nodiscard]] NodeIndex choose(Cycle& cycle, const std::vector<NodeIndex>& feasible);

  [[nodiscard]] Rng& rng() { return rng_; }

 private:
  struct Found {
    std::vector<NodeIndex> feasible;
    std::optional<PlaceError> error;
  };
  [[nodiscard]] Found find(Cycle& cycle, const std::vector<NodeIndex>& nodes, Diagnosis& diagnosis);
  /// By what equal pods taught; nothing: it has to be found out anew.
  [[nodiscard]] std::optional<PlaceOutcome> place_by_class(Cycle& cycle, const std::string& alike);
  [[nodiscard]] Standing standing(Cycle& cycle, NodeIndex node);
  [[nodiscard]] std::vector<SpreadConstraint> soft_spread(const PodInfo& pod) const;
  [[nodiscard]] std::vector<std::int64_t> total_scores(Cycle& cycle,
                                                       const std::vector<NodeIndex>& feasible);

  State& state_;
  Rng rng_;
  PlacerOptions options_;
  SpreadSelector spread_selector_;
  std::size_t next_start_ = 0;
  NodeClasses classes_;
};

/// How many feasible nodes are enough.
[[nodiscard]] std::size_t feasible_nodes_to_find(std::size_t nodes, int percentage);

}  // namespace dray::placement
