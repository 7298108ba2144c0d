#include "placement/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/core_v1.h"

namespace dray::placement {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";
constexpr std::int64_t kIgnored = -1;

bool matches_pod(const SpreadConstraint& c, const Labels& labels) {
  return matches(c.selector.get(), labels);
}

/// nodeAffinityPolicy and nodeTaintsPolicy.
bool is_included(const SpreadConstraint& c, const PodInfo& pod, const NodeInfo& node) {
  if (c.honor_affinity && !matches_required_affinity(pod.pod->spec, *node.node)) return false;
  return !c.honor_taints || untolerated_taint(*node.node, pod.pod->spec.tolerations) == nullptr;
}

bool has_keys(const std::vector<SpreadConstraint>& constraints, const NodeInfo& node) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const auto& c) {
    return find_label(node.labels(), c.topology_key) != nullptr;
  });
}

}  // namespace

int count_matching(const NodeInfo& node, const SpreadConstraint& constraint,
                   const std::string& namespace_) {
  if (constraint.selector && is_empty(*constraint.selector)) return 0;
  int count = 0;
  for (const auto& pod : node.pods) {
    count += !pod->is_terminating() && pod->namespace_() == namespace_ &&
             matches_pod(constraint, pod->labels());
  }
  return count;
}

SpreadFilter::SpreadFilter(const State& state, const PodInfo& pod) : pod_(pod) {
  domains_.resize(pod.hard_spread.size());
  if (!active()) return;
  for (const NodeIndex index : state.order()) {
    const NodeInfo& node = state.at(index);
    if (!has_all_keys(node)) continue;
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      const auto& c = pod.hard_spread[i];
      if (!is_included(c, pod, node)) continue;
      domains_[i][*find_label(node.labels(), c.topology_key)] +=
          count_matching(node, c, pod.namespace_());
    }
  }
}

bool SpreadFilter::has_all_keys(const NodeInfo& node) const { return has_keys(pod_.hard_spread, node); }

int SpreadFilter::minimum(std::size_t constraint) const {
  const Domains& domains = domains_[constraint];
  if (static_cast<int>(domains.size()) < pod_.hard_spread[constraint].min_domains) return 0;
  int least = std::numeric_limits<int>::max();
  for (const auto& [value, count] : domains) least = std::min(least, count);
  return least;
}

Verdict SpreadFilter::check(const NodeInfo& node) const {
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const auto& c = pod_.hard_spread[i];
    const std::string* value = find_label(node.labels(), c.topology_key);
    if (value == nullptr) {
      return Verdict::no(Code::kUnresolvable, Plugin::kPodTopologySpread, ReasonKind::kSpreadLabel);
    }
    const auto at = domains_[i].find(*value);
    const int have = at == domains_[i].end() ? 0 : at->second;
    const int self = matches_pod(c, pod_.labels()) ? 1 : 0;
    if (have + self - minimum(i) > c.max_skew) {
      return Verdict::no(Code::kUnschedulable, Plugin::kPodTopologySpread, ReasonKind::kSpread);
    }
  }
  return {};
}

void SpreadFilter::count(const PodInfo& other, const NodeInfo& node, int by) {
  if (!active() || other.namespace_() != pod_.namespace_() || !node.node || !has_all_keys(node)) return;
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const auto& c = pod_.hard_spread[i];
    if (!matches_pod(c, other.labels()) || !is_included(c, pod_, node)) continue;
    domains_[i][*find_label(node.labels(), c.topology_key)] += by;
  }
}

SpreadScore::SpreadScore(const State& state, const PodInfo& pod,
                         std::vector<SpreadConstraint> constraints, bool all_keys_required,
                         const std::vector<NodeIndex>& feasible)
    : state_(state), pod_(pod), constraints_(std::move(constraints)),
      all_keys_required_(all_keys_required), domains_(constraints_.size()) {
  if (!active()) return;
  std::size_t scored = 0;
  for (const NodeIndex index : feasible) {
    const NodeInfo& node = state.at(index);
    if (all_keys_required_ && !has_all_keys(node)) continue;
    ++scored;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      if (constraints_[i].topology_key == kHostname) continue;
      const auto* value = find_label(node.labels(), constraints_[i].topology_key);
      domains_[i].try_emplace(value == nullptr ? std::string() : *value, 0);
    }
  }
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const std::size_t size = constraints_[i].topology_key == kHostname ? scored : domains_[i].size();
    weights_.push_back(std::log(static_cast<double>(size + 2)));
  }
  for (const NodeIndex index : state.order()) {
    const NodeInfo& node = state.at(index);
    if (node.pods.empty() || (all_keys_required_ && !has_all_keys(node))) continue;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const auto& c = constraints_[i];
      if (c.topology_key == kHostname || !is_included(c, pod, node)) continue;
      const auto* value = find_label(node.labels(), c.topology_key);
      const auto at = domains_[i].find(value == nullptr ? std::string() : *value);
      if (at != domains_[i].end()) at->second += count_matching(node, c, pod.namespace_());
    }
  }
}

bool SpreadScore::has_all_keys(const NodeInfo& node) const { return has_keys(constraints_, node); }

double SpreadScore::raw(const NodeInfo& node) const {
  double score = 0;
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    const auto& c = constraints_[i];
    const auto* value = find_label(node.labels(), c.topology_key);
    if (value == nullptr) continue;
    const auto count = c.topology_key == kHostname
                           ? static_cast<std::int64_t>(count_matching(node, c, pod_.namespace_()))
                           : domains_[i].at(*value);
    score += static_cast<double>(count) * weights_[i] + static_cast<double>(c.max_skew - 1);
  }
  return score;
}

std::vector<std::int64_t> SpreadScore::scores(const std::vector<NodeIndex>& feasible) const {
  std::vector<std::int64_t> out;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (const NodeIndex index : feasible) {
    const NodeInfo& node = state_.at(index);
    if (all_keys_required_ && !has_all_keys(node)) {
      out.push_back(kIgnored);
      continue;
    }
    out.push_back(static_cast<std::int64_t>(std::llround(raw(node))));
    least = std::min(least, out.back());
    most = std::max(most, out.back());
  }
  for (auto& score : out) {
    score = score == kIgnored ? 0 : most == 0 ? 100 : 100 * (most + least - score) / most;
  }
  return out;
}

}  // namespace dray::placement
