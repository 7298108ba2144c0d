#include "placement/pod_affinity.h"

#include <algorithm>
#include <limits>

#include "api/core_v1.h"

namespace dray::placement {
namespace {

constexpr std::int64_t kHardPodAffinityWeight = 1;

void bump(TopologyCounts& counts, const NodeInfo& node, const std::string& key, std::int64_t by) {
  const std::string* value = find_label(node.labels(), key);
  if (value == nullptr) return;
  auto& of_key = counts[key];
  if ((of_key[*value] += by) != 0) return;
  of_key.erase(*value);
  if (of_key.empty()) counts.erase(key);
}

std::int64_t count_of(const TopologyCounts& counts, const std::string& key, const std::string& value) {
  const auto of_key = counts.find(key);
  if (of_key == counts.end()) return 0;
  const auto at = of_key->second.find(value);
  return at == of_key->second.end() ? 0 : at->second;
}

bool term_matches(const State& state, const AffinityTerm& term, const PodInfo& pod) {
  return term.matches(pod.namespace_(), pod.labels(), state.namespace_labels(pod.namespace_()));
}

void add_scores(const State& state, const std::vector<AffinityTerm>& terms, const PodInfo& subject,
                const NodeInfo& node, std::int64_t sign, TopologyCounts& scores) {
  for (const auto& term : terms) {
    if (term.weight == 0 || !term_matches(state, term, subject)) continue;
    const std::string* value = find_label(node.labels(), term.topology_key);
    if (value != nullptr) scores[term.topology_key][*value] += sign * term.weight;
  }
}

void add_hard_scores(const State& state, const PodInfo& existing, const PodInfo& pod,
                     const NodeInfo& node, TopologyCounts& scores) {
  for (const auto& term : existing.required_affinity) {
    if (!term_matches(state, term, pod)) continue;
    const std::string* value = find_label(node.labels(), term.topology_key);
    if (value != nullptr) scores[term.topology_key][*value] += kHardPodAffinityWeight;
  }
}

TopologyCounts topology_scores(const State& state, const PodInfo& pod) {
  TopologyCounts scores;
  const bool own = !pod.preferred_affinity.empty() || !pod.preferred_anti_affinity.empty();
  if (!own && state.affinity_pods() == 0) return scores;
  for (const NodeIndex index : state.order()) {
    const NodeInfo& node = state.at(index);
    if (!own && node.affinity_pods == 0) continue;
    for (const auto& existing : node.pods) {
      if (!own && !existing->has_affinity()) continue;
      add_scores(state, pod.preferred_affinity, *existing, node, 1, scores);
      add_scores(state, pod.preferred_anti_affinity, *existing, node, -1, scores);
      add_hard_scores(state, *existing, pod, node, scores);
      add_scores(state, existing->preferred_affinity, pod, node, 1, scores);
      add_scores(state, existing->preferred_anti_affinity, pod, node, -1, scores);
    }
  }
  return scores;
}

}  // namespace

AffinityFilter::AffinityFilter(const State& state, const PodInfo& pod) : state_(state), pod_(pod) {
  const bool own = !pod.required_affinity.empty() || !pod.required_anti_affinity.empty();
  if (!own && state.required_anti_pods() == 0) return;
  for (const NodeIndex index : state.order()) {
    const NodeInfo& node = state.at(index);
    if (!own && node.required_anti_pods == 0) continue;
    for (const auto& existing : node.pods) count(*existing, node, 1);
  }
  active_ = own || !existing_anti_affinity_.empty();
}

bool AffinityFilter::matches_all(const PodInfo& other) const {
  return !pod_.required_affinity.empty() &&
         std::all_of(pod_.required_affinity.begin(), pod_.required_affinity.end(),
                     [&](const auto& term) { return term_matches(state_, term, other); });
}

void AffinityFilter::count(const PodInfo& other, const NodeInfo& node, int by) {
  if (!node.node) return;
  for (const auto& term : other.required_anti_affinity) {
    if (term_matches(state_, term, pod_)) bump(existing_anti_affinity_, node, term.topology_key, by);
  }
  if (matches_all(other)) {
    for (const auto& term : pod_.required_affinity) bump(affinity_, node, term.topology_key, by);
  }
  for (const auto& term : pod_.required_anti_affinity) {
    if (term_matches(state_, term, other)) bump(anti_affinity_, node, term.topology_key, by);
  }
}

bool AffinityFilter::satisfies_affinity(const NodeInfo& node) const {
  bool pods_exist = true;
  for (const auto& term : pod_.required_affinity) {
    const std::string* value = find_label(node.labels(), term.topology_key);
    if (value == nullptr) return false;
    pods_exist = pods_exist && count_of(affinity_, term.topology_key, *value) > 0;
  }
  // The first pod of a group that is attracted by itself may go anywhere.
  return pods_exist || (affinity_.empty() && matches_all(pod_));
}

bool AffinityFilter::violates_anti_affinity(const NodeInfo& node) const {
  return std::any_of(pod_.required_anti_affinity.begin(), pod_.required_anti_affinity.end(),
                     [&](const auto& term) {
                       const std::string* value = find_label(node.labels(), term.topology_key);
                       return value != nullptr &&
                              count_of(anti_affinity_, term.topology_key, *value) > 0;
                     });
}

bool AffinityFilter::repelled(const NodeInfo& node) const {
  for (const auto& [key, values] : existing_anti_affinity_) {
    const std::string* value = find_label(node.labels(), key);
    if (value != nullptr && count_of(existing_anti_affinity_, key, *value) > 0) return true;
  }
  return false;
}

Verdict AffinityFilter::check(const NodeInfo& node) const {
  if (!active_) return {};
  if (!satisfies_affinity(node)) {
    return Verdict::no(Code::kUnresolvable, Plugin::kInterPodAffinity, ReasonKind::kPodAffinity);
  }
  if (violates_anti_affinity(node)) {
    return Verdict::no(Code::kUnschedulable, Plugin::kInterPodAffinity, ReasonKind::kPodAntiAffinity);
  }
  if (repelled(node)) {
    return Verdict::no(Code::kUnschedulable, Plugin::kInterPodAffinity,
                       ReasonKind::kExistingAntiAffinity);
  }
  return {};
}

std::vector<std::int64_t> affinity_scores(const State& state, const PodInfo& pod,
                                          const std::vector<NodeIndex>& feasible) {
  const TopologyCounts scores = topology_scores(state, pod);
  if (scores.empty()) return {};
  std::vector<std::int64_t> out;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const NodeIndex index : feasible) {
    std::int64_t sum = 0;
    for (const auto& [key, values] : scores) {
      const std::string* value = find_label(state.at(index).labels(), key);
      if (value != nullptr) sum += count_of(scores, key, *value);
    }
    out.push_back(sum);
    least = std::min(least, sum);
    most = std::max(most, sum);
  }
  const std::int64_t span = most - least;
  for (auto& score : out) {
    score = span > 0 ? static_cast<std::int64_t>(100.0 * (static_cast<double>(score - least) /
                                                          static_cast<double>(span)))
                     : 0;
  }
  return out;
}

}  // namespace dray::placement
