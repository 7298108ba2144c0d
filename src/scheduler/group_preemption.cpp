#include "scheduler/group_preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "api/core_v1.h"
#include "api/scheduling_v1beta1.h"
#include "placement/preemption.h"
#include "scheduler/cycles.h"
#include "scheduler/eviction.h"

namespace dray::scheduler {
namespace {

using placement::NodeIndex;
using placement::PodInfoPtr;

/// Pods that go together: one, or all of a group that is disrupted as a whole.
struct Unit {
  std::int32_t priority = 0;
  bool of_group = false;
  std::vector<std::pair<PodInfoPtr, NodeIndex>> pods;

  [[nodiscard]] std::int64_t start() const {
    std::int64_t earliest = INT64_MAX;
    for (const auto& [pod, node] : pods) {
      if (const auto& at = pod->pod->status.start_time) earliest = std::min(earliest, at->seconds);
    }
    return earliest;
  }
};

bool more_important(const Unit& a, const Unit& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.of_group != b.of_group) return a.of_group;
  if (a.pods.size() != b.pods.size()) return a.pods.size() > b.pods.size();
  return a.start() < b.start();
}

std::vector<Unit> units_below(Core& core, std::int32_t priority) {
  std::vector<Unit> units;
  std::map<std::string, std::size_t> of_groups;
  for (const NodeIndex node : core.state.order()) {
    for (const auto& pod : core.state.at(node).pods) {
      const std::int32_t theirs = core.groups.priority_of_unit(*pod);
      if (theirs >= priority) continue;
      const GroupPtr group = core.groups.object_of(*pod->pod);
      if (group != nullptr && disrupts_all(*group)) {
        const auto [at, added] = of_groups.try_emplace(group->metadata.uid, units.size());
        if (added) units.push_back({theirs, true, {}});
        units[at->second].pods.emplace_back(pod, node);
      } else {
        units.push_back({theirs, group != nullptr, {{pod, node}}});
      }
    }
  }
  return units;
}

std::optional<std::string> not_eligible(Core& core, const scheduling_v1beta1::PodGroup& group,
                                        const std::vector<QueuedPodPtr>& members) {
  const bool by_group = core.cluster.gates().enabled("PodGroupPreemptionPolicy");
  const bool never = by_group ? group.spec.preemption_policy.value_or("") == "Never"
                              : std::ranges::any_of(members, [](const auto& member) {
                                  return member->pod().spec.preemption_policy.value_or("") == "Never";
                                });
  if (never) return "not eligible due to preemptionPolicy=Never.";
  return std::nullopt;
}

/// Whether victims of an earlier attempt are still on a node that a member waits for.
bool is_ongoing(Core& core, const std::vector<QueuedPodPtr>& members, std::int32_t priority) {
  for (const auto& member : members) {
    const std::string* nominated = core.state.nomination(member->info->uid());
    const NodeIndex node = nominated == nullptr ? placement::kNoNode : core.state.find(*nominated);
    if (node == placement::kNoNode) continue;
    for (const auto& other : core.state.at(node).pods) {
      if (other->is_terminating() && core.groups.priority_of_unit(*other) < priority) return true;
    }
  }
  return false;
}

/// The units that can stay, given where the members go.
class Reprieve {
 public:
  Reprieve(Core& core, placement::Trial& trial, const std::vector<MemberTry>& tries)
      : core_(core), trial_(trial), tries_(tries) {}

  bool try_back(const Unit& unit) {
    const std::size_t mark = trial_.mark();
    for (const auto& [pod, node] : unit.pods) trial_.add_pod(pod, node);
    if (all_fit()) return true;
    trial_.rollback(mark);
    return false;
  }

 private:
  bool all_fit() {
    placement::Trial members(core_.state);
    for (const auto& tried : tries_) {
      if (tried.node == placement::kNoNode) continue;
      placement::Cycle cycle = make_cycle(core_, tried.member->info, nullptr);
      if (!cycle.prefilter().fits() || !cycle.filter(core_.state.at(tried.node)).fits()) return false;
      members.add_pod(tried.member->info, tried.node);
    }
    return true;
  }

  Core& core_;
  placement::Trial& trial_;
  const std::vector<MemberTry>& tries_;
};

}  // namespace

GroupPreemption preempt_for_group(Core& core, const scheduling_v1beta1::PodGroup& group,
                                  const std::vector<QueuedPodPtr>& members) {
  GroupPreemption out;
  const std::int32_t priority = priority_of(group);
  if (const auto reason = not_eligible(core, group, members)) {
    out.message = *reason;
    return out;
  }
  if (is_ongoing(core, members, priority)) {
    out.message = "ongoing preemption on nominated nodes";
    out.alone = true;
    for (const auto& member : members) {
      const std::string* node = core.state.nomination(member->info->uid());
      if (node != nullptr) out.nominated[member->info->uid()] = *node;
    }
    return out;
  }
  std::vector<Unit> units = units_below(core, priority);
  if (units.empty()) {
    out.message = "No preemption victims found for incoming preemptor";
    out.alone = true;
    return out;
  }
  const Group* state = core.groups.find(group.metadata.namespace_ + "/" + group.metadata.name);
  placement::Trial trial(core.state);
  for (const auto& unit : units) {
    for (const auto& [pod, node] : unit.pods) trial.remove_pod(pod, node);
  }
  const GroupTry result = try_group(core, group, members, state == nullptr ? 0 : state->placed.size());
  if (!result.fits) {
    out.message = result.error.empty() ? result.reason : result.error;
    return out;
  }
  std::stable_sort(units.begin(), units.end(), more_important);
  Reprieve reprieve(core, trial, result.tries);
  for (const auto& unit : units) {
    if (reprieve.try_back(unit)) continue;
    for (const auto& [pod, node] : unit.pods) out.victims.push_back(pod);
  }
  for (const auto& tried : result.tries) {
    if (tried.node == placement::kNoNode) continue;
    out.nominated[tried.member->info->uid()] = core.state.at(tried.node).name;
  }
  out.alone = true;
  out.message = fmt::format("found a placement for podgroup, preempting {} victims", out.victims.size());
  return out;
}

void evict_for_group(Core& core, const scheduling_v1beta1::PodGroup& group,
                     const GroupPreemption& preemption) {
  if (preemption.victims.empty()) return;
  evict(core, {"podgroup", group.metadata.uid, "cluster"}, preemption.victims);
}

}  // namespace dray::scheduler
