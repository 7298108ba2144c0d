#include "placement/placer.h"

#include <algorithm>

#include "api/core_v1.h"

namespace dray::placement {
namespace {

constexpr std::size_t kFeasibleMin = 100;

void add_weighted(std::vector<std::int64_t>& total, const std::vector<std::int64_t>& part,
                  std::int64_t weight) {
  for (std::size_t i = 0; i < part.size(); ++i) total[i] += part[i] * weight;
}

/// The default profile spreads pods of services and sets over zones and hosts.
std::vector<SpreadConstraint> default_spread(const Box<meta::LabelSelector>& selector) {
  if (!selector) return {};
  SpreadConstraint zone;
  zone.max_skew = 5;
  zone.topology_key = "topology.kubernetes.io/zone";
  zone.selector = selector;
  SpreadConstraint host = zone;
  host.max_skew = 3;
  host.topology_key = "kubernetes.io/hostname";
  return {host, zone};
}

}  // namespace

std::size_t feasible_nodes_to_find(std::size_t nodes, int percentage) {
  if (nodes < kFeasibleMin) return nodes;
  if (percentage == 0) percentage = std::max(5, 50 - static_cast<int>(nodes / 125));
  return std::max(kFeasibleMin, nodes * static_cast<std::size_t>(percentage) / 100);
}

Placer::Placer(State& state, Rng rng, PlacerOptions options, SpreadSelector spread_selector)
    : state_(state), rng_(rng), options_(options), spread_selector_(std::move(spread_selector)) {}

PlaceOutcome Placer::place(Cycle& cycle, const std::string& nominated_node,
                           const std::vector<NodeIndex>* restricted, const std::string& alike) {
  const std::vector<NodeIndex>& all = restricted != nullptr ? *restricted : state_.order();
  Diagnosis diagnosis;
  diagnosis.node_count = all.size();
  if (all.empty()) return diagnosis;
  if (Verdict verdict = cycle.prefilter(); !verdict.fits()) {
    if (verdict.code == Code::kError) return PlaceError{verdict.text(), verdict.plugin};
    diagnosis.prefilter_message = verdict.text();
    diagnosis.plugins.add(verdict.plugin);
    diagnosis.absent = std::move(verdict);
    return diagnosis;
  }
  if (nominated_node.empty() && restricted == nullptr && !alike.empty()) {
    if (auto outcome = place_by_class(cycle, alike)) return std::move(*outcome);
  }
  const NodeIndex nominated = nominated_node.empty() ? kNoNode : state_.find(nominated_node);
  if (nominated != kNoNode && std::ranges::count(all, nominated) != 0) {
    Verdict verdict = cycle.filter_with_nominated(nominated);
    if (verdict.fits()) return Placed{nominated, 1, 1, false};
    if (verdict.code != Code::kError) diagnosis.plugins.add(verdict.plugin);
  }
  std::vector<NodeIndex> subset;
  if (cycle.only()) {
    for (const NodeIndex node : *cycle.only()) {
      if (std::ranges::count(all, node) != 0) subset.push_back(node);
    }
    diagnosis.plugins.add(Plugin::kNodeAffinity);
    diagnosis.absent = Verdict::no(Code::kUnresolvable, Plugin::kNodeAffinity,
                                   ReasonKind::kNotAllowedByPlugins, name_of(Plugin::kNodeAffinity));
  }
  const auto& nodes = cycle.only() ? subset : all;
  Found found = find(cycle, nodes, diagnosis);
  next_start_ = (next_start_ + found.feasible.size() + diagnosis.nodes.size()) % all.size();
  if (found.error) return std::move(*found.error);
  if (found.feasible.empty()) return diagnosis;
  const std::size_t evaluated = found.feasible.size() + diagnosis.nodes.size();
  return Placed{choose(cycle, found.feasible), evaluated, found.feasible.size(), false};
}

std::optional<PlaceOutcome> Placer::place_by_class(Cycle& cycle, const std::string& alike) {
  if (state_.nomination_count() != 0 || state_.affinity_pods() != 0 || cycle.only()) return std::nullopt;
  if (!soft_spread(cycle.pod()).empty()) return std::nullopt;
  NodeClass* nodes = classes_.find(alike, state_);
  if (nodes == nullptr) return std::nullopt;
  const auto look = [&](NodeIndex node) { return standing(cycle, node); };
  std::size_t looked = state_.node_count();
  if (nodes->is_valid(state_)) {
    looked = nodes->refresh(state_, look);
  } else {
    nodes->build(state_, look);
  }
  if (nodes->failed()) return std::nullopt;
  if (nodes->feasible() == 0) return nodes->diagnosis(state_);
  const RelativeWeights weights{options_.weights.taints, options_.weights.node_affinity};
  return Placed{nodes->best(rng_, weights), looked, nodes->feasible(), true};
}

Standing Placer::standing(Cycle& cycle, NodeIndex index) {
  const NodeInfo& node = state_.at(index);
  const PodInfo& pod = cycle.pod();
  Standing out;
  out.verdict = cycle.filter(node);
  if (!out.verdict.fits()) return out;
  const Weights& weights = options_.weights;
  out.score = weights.least_allocated * least_allocated_score(pod, node) +
              weights.balanced * balanced_score(pod, node) +
              weights.images * image_score(state_, pod, node);
  out.taints = taint_count(pod, node);
  out.affinity = affinity_weight(pod, node);
  return out;
}

std::vector<SpreadConstraint> Placer::soft_spread(const PodInfo& pod) const {
  if (!pod.pod->spec.topology_spread_constraints.empty() || !spread_selector_) return pod.soft_spread;
  return default_spread(spread_selector_(*pod.pod));
}

Placer::Found Placer::find(Cycle& cycle, const std::vector<NodeIndex>& nodes, Diagnosis& diagnosis) {
  Found found;
  const std::size_t wanted =
      feasible_nodes_to_find(nodes.size(), options_.percentage_of_nodes_to_score);
  for (std::size_t i = 0; i < nodes.size() && found.feasible.size() < wanted; ++i) {
    const NodeIndex node = nodes[(next_start_ + i) % nodes.size()];
    Verdict verdict = cycle.filter_with_nominated(node);
    if (verdict.fits()) {
      found.feasible.push_back(node);
    } else if (verdict.code == Code::kError) {
      found.error = PlaceError{verdict.text(), verdict.plugin};
      return found;
    } else {
      diagnosis.add(node, std::move(verdict));
    }
  }
  return found;
}

NodeIndex Placer::choose(Cycle& cycle, const std::vector<NodeIndex>& feasible) {
  if (feasible.size() == 1) return feasible.front();
  const std::vector<std::int64_t> scores = total_scores(cycle, feasible);
  const std::int64_t best = *std::max_element(scores.begin(), scores.end());
  std::uint64_t pick = rng_.below(static_cast<std::uint64_t>(std::ranges::count(scores, best)));
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (scores[i] == best && pick-- == 0) return feasible[i];
  }
  return feasible.front();
}

std::vector<std::int64_t> Placer::total_scores(Cycle& cycle, const std::vector<NodeIndex>& feasible) {
  const PodInfo& pod = cycle.pod();
  const Weights& weights = options_.weights;
  std::vector<std::int64_t> total(feasible.size()), taints(feasible.size()), affinity(feasible.size());
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    const NodeInfo& node = state_.at(feasible[i]);
    taints[i] = taint_count(pod, node);
    affinity[i] = affinity_weight(pod, node);
    total[i] = weights.least_allocated * least_allocated_score(pod, node) +
               weights.balanced * balanced_score(pod, node) +
               weights.images * image_score(state_, pod, node);
  }
  normalise(taints, true);
  normalise(affinity, false);
  add_weighted(total, taints, weights.taints);
  add_weighted(total, affinity, weights.node_affinity);

  const bool own_spread = !pod.pod->spec.topology_spread_constraints.empty();
  const SpreadScore spread(state_, pod, soft_spread(pod), own_spread, feasible);
  if (spread.active()) add_weighted(total, spread.scores(feasible), weights.spread);
  add_weighted(total, affinity_scores(state_, pod, feasible), weights.pod_affinity);
  if (cycle.devices() != nullptr) add_weighted(total, cycle.devices()->scores(feasible), weights.devices);
  return total;
}

}  // namespace dray::placement
