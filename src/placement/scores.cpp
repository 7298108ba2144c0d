#include "placement/scores.h"

#include <algorithm>
#include <cmath>

#include "api/core_v1.h"

namespace dray::placement {
namespace {

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kImageMin = 23 * kMiB;
constexpr std::int64_t kImageMaxEach = 1000 * kMiB;

std::int64_t left_over(std::int64_t used, std::int64_t have) {
  return used > have ? 0 : (have - used) * kScoreMax / have;
}

/// (1 - standard deviation of both fractions) in percent.
std::int64_t balance(std::int64_t cpu, std::int64_t cpu_have, std::int64_t memory,
                     std::int64_t memory_have) {
  double deviation = 0;
  if (cpu_have != 0 && memory_have != 0) {
    const double a = std::min(1.0, static_cast<double>(cpu) / static_cast<double>(cpu_have));
    const double b = std::min(1.0, static_cast<double>(memory) / static_cast<double>(memory_have));
    deviation = std::abs((a - b) / 2);
  }
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kScoreMax));
}

}  // namespace

std::int64_t least_allocated_score(const PodInfo& pod, const NodeInfo& node) {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  const auto add = [&](std::int64_t used, std::int64_t have) {
    if (have == 0) return;
    sum += left_over(used, have);
    ++count;
  };
  add(node.scored_milli_cpu + pod.requests.scored_milli_cpu, node.allocatable.milli_cpu);
  add(node.scored_memory + pod.requests.scored_memory, node.allocatable.memory);
  return count == 0 ? 0 : sum / count;
}

std::int64_t balanced_score(const PodInfo& pod, const NodeInfo& node) {
  const Resources& wanted = pod.requests.real;
  if (wanted.milli_cpu == 0 && wanted.memory == 0) return 0;
  const Resources& have = node.allocatable;
  const Resources& used = node.requested;
  const auto with = balance(used.milli_cpu + wanted.milli_cpu, have.milli_cpu,
                            used.memory + wanted.memory, have.memory);
  const auto without = balance(used.milli_cpu, have.milli_cpu, used.memory, have.memory);
  return kScoreMax / 2 + (kScoreMax / 2 + with - without) / 2;
}

std::int64_t image_score(const State& state, const PodInfo& pod, const NodeInfo& node) {
  if (node.image_bytes.empty() || pod.images.empty()) return 0;
  std::int64_t sum = 0;
  for (const auto& image : pod.images) {
    const auto at = node.image_bytes.find(image);
    if (at == node.image_bytes.end()) continue;
    const double share = static_cast<double>(state.nodes_with_image(image)) /
                         static_cast<double>(state.node_count());
    sum += static_cast<std::int64_t>(static_cast<double>(at->second) * share);
  }
  const std::int64_t most = kImageMaxEach * static_cast<std::int64_t>(pod.images.size());
  sum = std::clamp(sum, kImageMin, most);
  return kScoreMax * (sum - kImageMin) / (most - kImageMin);
}

std::int64_t taint_count(const PodInfo& pod, const NodeInfo& node) {
  std::int64_t count = 0;
  for (const auto& taint : node.node->spec.taints) {
    count += taint.effect == "PreferNoSchedule" && !tolerates(pod.pod->spec.tolerations, taint);
  }
  return count;
}

std::int64_t affinity_weight(const PodInfo& pod, const NodeInfo& node) {
  const auto& spec = pod.pod->spec;
  if (!spec.affinity || !spec.affinity->node_affinity) return 0;
  std::int64_t sum = 0;
  for (const auto& term :
       spec.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution) {
    if (term.weight != 0 && matches(term.preference, *node.node)) sum += term.weight;
  }
  return sum;
}

void normalise(std::vector<std::int64_t>& scores, bool reversed) {
  const std::int64_t most = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (auto& score : scores) {
    const std::int64_t scaled = most == 0 ? 0 : score * kScoreMax / most;
    score = reversed ? kScoreMax - scaled : scaled;
  }
}

}  // namespace dray::placement
