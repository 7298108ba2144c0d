#include "scheduler/group_try.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "api/scheduling_v1beta1.h"
#include "placement/scores.h"
#include "scheduler/cycles.h"

namespace dray::scheduler {
namespace {

using placement::Diagnosis;
using placement::NodeIndex;
using Nodes = std::vector<NodeIndex>;

enum class Progress : std::uint8_t { kHopeless, kWaits, kEnough };

/// Whether the quorum is reached, can be, or can't.
Progress progress(int wanted, std::size_t scheduled, std::size_t remaining, std::string& text) {
  const int have = static_cast<int>(scheduled);
  const int more = static_cast<int>(remaining);
  if (have + more < wanted) {
    text = fmt::format("minCount ({}) cannot be satisfied: {} scheduled, {} remaining", wanted, have, more);
    return Progress::kHopeless;
  }
  if (have >= wanted) return Progress::kEnough;
  text = fmt::format("minCount ({}) is not yet satisfied: {} scheduled, {} remaining", wanted, have, more);
  return Progress::kWaits;
}

/// One run of the default algorithm over some nodes (null: all).
class Placement {
 public:
  Placement(Core& core, const scheduling_v1beta1::PodGroup& group, const Nodes* nodes)
      : core_(core), group_(group), nodes_(nodes) {}
  ~Placement() { take_back(); }
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  GroupTry run(const std::vector<QueuedPodPtr>& members, std::size_t placed) {
    GroupTry out;
    out.members = members;
    std::size_t remaining = members.size();
    const int wanted = min_count(group_);
    Progress state = progress(wanted, placed, remaining, out.reason);
    bool any = false;
    if (state != Progress::kHopeless) {
      for (const auto& member : members) {
        out.tried_any = true;
        out.tries.push_back(try_member(member, out.error));
        if (!out.error.empty()) return out;
        --remaining;
        const bool found = out.tries.back().node != placement::kNoNode;
        placed += found;
        state = progress(wanted, placed, remaining, out.reason);
        if (state == Progress::kHopeless) break;
        any = any || found;
      }
    }
    out.fits = state == Progress::kEnough && any;
    if (state == Progress::kEnough) out.reason.clear();
    return out;
  }

 private:
  MemberTry try_member(const QueuedPodPtr& member, std::string& error) {
    MemberTry out;
    out.member = member;
    placement::Cycle cycle = make_cycle(core_, member->info, &pending_);
    const std::string* nominated = core_.state.nomination(member->info->uid());
    auto outcome = core_.placer.place(cycle, nominated == nullptr ? "" : *nominated, nodes_);
    if (const auto* found = std::get_if<placement::Placed>(&outcome)) {
      out.node = found->node;
      out.decision = decide(core_, cycle, found->node);
      reserve(member, out);
    } else if (auto* diagnosis = std::get_if<Diagnosis>(&outcome)) {
      out.diagnosis = std::move(*diagnosis);
    } else {
      const auto& failed = std::get<placement::PlaceError>(outcome);
      error = fmt::format("failed to schedule other pod from a pod group: running \"{}\" filter plugin: {}",
                          placement::name_of(failed.plugin), failed.message);
    }
    return out;
  }

  void reserve(const QueuedPodPtr& member, const MemberTry& found) {
    core_.state.add_pod(member->info, found.node);
    assumed_.push_back(member->info->uid());
    for (const auto& entry : found.decision.devices.allocated) {
      const std::string& uid = entry.claim->metadata.uid;
      core_.claims.reserve(uid, entry.allocation);
      reserved_.push_back(uid);
      pending_[uid] = entry.allocation;
    }
  }

  void take_back() {
    for (auto uid = reserved_.rbegin(); uid != reserved_.rend(); ++uid) core_.claims.release(*uid);
    for (auto uid = assumed_.rbegin(); uid != assumed_.rend(); ++uid) core_.state.remove_pod(*uid);
  }

  Core& core_;
  const scheduling_v1beta1::PodGroup& group_;
  const Nodes* nodes_;
  PendingOfGroup pending_;
  std::vector<std::string> assumed_, reserved_;
};

const std::string* topology_key(const scheduling_v1beta1::PodGroup& group) {
  const auto& constraints = group.spec.scheduling_constraints;
  if (!constraints || constraints->topology.empty()) return nullptr;
  return &constraints->topology.front().key;
}

/// The nodes of each domain that the group may go to.
std::map<std::string, Nodes> domains_of(Core& core, const scheduling_v1beta1::PodGroup& group,
                                        std::string& error) {
  std::map<std::string, Nodes> domains;
  const std::string* key = topology_key(group);
  if (key == nullptr) {
    domains[""] = core.state.order();
    return domains;
  }
  for (const NodeIndex node : core.state.order()) {
    const std::string* value = placement::find_label(core.state.at(node).labels(), *key);
    if (value != nullptr) domains[*value].push_back(node);
  }
  std::vector<std::string> used;
  const Group* state = core.groups.find(group.metadata.namespace_ + "/" + group.metadata.name);
  for (const auto& uid : state == nullptr ? std::set<std::string>() : state->placed) {
    const NodeIndex node = core.state.node_of(uid);
    if (node == placement::kNoNode || !core.state.at(node).node) continue;
    const std::string* value = placement::find_label(core.state.at(node).labels(), *key);
    if (value != nullptr && std::ranges::count(used, *value) == 0) used.push_back(*value);
  }
  std::sort(used.begin(), used.end());
  if (used.size() > 1) {
    error = fmt::format("cannot determine domain for already scheduled pods: more than 1 domain found for "
                        "pod group: {}", fmt::join(used, ", "));
  }
  if (used.size() == 1) std::erase_if(domains, [&](const auto& d) { return d.first != used.front(); });
  return domains;
}

/// How full the domain is with the group in it, in percent: the fullest is the best.
std::int64_t fill_score(const Core& core, const Nodes& nodes, const GroupTry& result) {
  std::int64_t cpu = 0, memory = 0, cpu_all = 0, memory_all = 0;
  for (const NodeIndex index : nodes) {
    const auto& node = core.state.at(index);
    cpu += node.scored_milli_cpu;
    memory += node.scored_memory;
    cpu_all += node.allocatable.milli_cpu;
    memory_all += node.allocatable.memory;
  }
  for (const auto& tried : result.tries) {
    if (tried.node == placement::kNoNode) continue;
    cpu += tried.member->info->requests.scored_milli_cpu;
    memory += tried.member->info->requests.scored_memory;
  }
  std::int64_t sum = 0, parts = 0;
  if (cpu_all > 0) sum += std::min(cpu, cpu_all) * 100 / cpu_all, ++parts;
  if (memory_all > 0) sum += std::min(memory, memory_all) * 100 / memory_all, ++parts;
  return parts == 0 ? 0 : sum / parts;
}

std::size_t count_placed(const GroupTry& result, std::size_t before) {
  return before + static_cast<std::size_t>(std::ranges::count_if(
                      result.tries, [](const auto& t) { return t.node != placement::kNoNode; }));
}

/// The best of the domains in which the group fits.
GroupTry try_domains(Core& core, const scheduling_v1beta1::PodGroup& group,
                     const std::vector<QueuedPodPtr>& members, std::size_t placed) {
  GroupTry none;
  none.members = members;
  const auto domains = domains_of(core, group, none.error);
  if (!none.error.empty()) return none;
  if (domains.empty()) {
    none.reason = "no feasible placements found";
    return none;
  }
  std::vector<std::pair<const Nodes*, GroupTry>> fitting;
  std::string first_reason;
  for (const auto& [value, nodes] : domains) {
    GroupTry result = Placement(core, group, &nodes).run(members, placed);
    if (!result.error.empty()) return result;
    if (result.fits) {
      fitting.emplace_back(&nodes, std::move(result));
      continue;
    }
    if (first_reason.empty()) first_reason = result.reason;
    if (none.tries.empty()) {
      none.tries = std::move(result.tries);
      none.tried_any = result.tried_any;
    }
  }
  if (fitting.empty()) {
    none.reason = fmt::format("0/{} placements are available, first placement status: {}", domains.size(),
                              first_reason);
    if (topology_key(group) != nullptr) none.tries.clear();
    return none;
  }
  std::size_t most = 0;
  for (const auto& [nodes, result] : fitting) most = std::max(most, count_placed(result, placed));
  std::vector<std::size_t> best;
  std::int64_t best_score = -1;
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const auto count = static_cast<std::int64_t>(count_placed(fitting[i].second, placed) * 100 / most);
    const std::int64_t score = fill_score(core, *fitting[i].first, fitting[i].second) + count;
    if (score > best_score) best.clear();
    if (score >= best_score) best.push_back(i);
    best_score = std::max(best_score, score);
  }
  return std::move(fitting[best[core.placer.rng().below(best.size())]].second);
}

}  // namespace

GroupTry try_group(Core& core, const scheduling_v1beta1::PodGroup& group,
                   const std::vector<QueuedPodPtr>& members, std::size_t placed) {
  if (core.cluster.gates().enabled("TopologyAwareWorkloadScheduling")) {
    return try_domains(core, group, members, placed);
  }
  return Placement(core, group, nullptr).run(members, placed);
}

}  // namespace dray::scheduler
