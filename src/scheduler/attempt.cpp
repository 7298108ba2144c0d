#include "scheduler/attempt.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/core_v1.h"
#include "api/policy_v1.h"
#include "api/resource_v1.h"
#include "placement/preemption.h"
#include "scheduler/binding.h"
#include "scheduler/claim_writer.h"
#include "scheduler/cycles.h"
#include "scheduler/eviction.h"
#include "scheduler/group_attempt.h"
#include "scheduler/pod_status.h"
#include "scheduler/victim_devices.h"

namespace dray::scheduler {
namespace {

using placement::Cycle;
using placement::DeviceCycle;
using placement::Diagnosis;

constexpr const char* kNoNodes = "no nodes available to schedule pods";

/// What the attempt may change so that the next one has a chance. Done after the pod is back in the
/// queue, so that what it causes finds it there.
struct Remedy {
  std::string message;
  ClaimPtr deallocate, remove;
};

Remedy device_remedy(Core& core, Cycle& cycle) {
  Remedy remedy;
  DeviceCycle* devices = devices_of(cycle);
  if (devices == nullptr) return remedy;
  std::vector<ClaimPtr> claims = devices->unavailable();
  while (!claims.empty()) {
    const auto pick = static_cast<std::ptrdiff_t>(core.placer.rng().below(claims.size()));
    const ClaimPtr claim = claims[static_cast<std::size_t>(pick)];
    claims.erase(claims.begin() + pick);
    const auto& users = claim->status.reserved_for;
    if (users.size() > 1 || (users.size() == 1 && users[0].uid != cycle.pod().uid())) continue;
    if (!claim->status.allocation) continue;
    remedy.deallocate = claim;
    remedy.message = "deallocation of ResourceClaim completed";
    return remedy;
  }
  if (devices->input().leftover) {
    remedy.remove = devices->input().leftover;
    remedy.message = "deletion of ResourceClaim completed";
  }
  return remedy;
}

placement::Budgets budgets_of(Core& core) {
  placement::Budgets budgets;
  for (const auto& object : core.cluster.informer<policy::PodDisruptionBudget>().list()) {
    budgets.push_back(as<policy::PodDisruptionBudget>(object));
  }
  return budgets;
}

/// Pods of lower priority that hoped for the node hope no longer.
void clear_lower_nominations(Core& core, const placement::PodInfo& pod, const std::string& node) {
  std::vector<placement::PodInfoPtr> lower;
  for (const auto& other : core.state.nominated(node)) {
    if (other->priority < pod.priority) lower.push_back(other);
  }
  for (const auto& other : lower) {
    core.state.remove_nomination(other->uid());
    write_status(core, *other->pod, {{}, {}, ""});
  }
}

bool failed_before_devices(const Diagnosis& diagnosis) {
  return !diagnosis.prefilter_message.empty() &&
         diagnosis.absent.plugin < placement::Plugin::kDynamicResources;
}

void refuse(Core& core, const QueuedPodPtr& pod, Cycle& cycle, Diagnosis diagnosis) {
  const Remedy remedy = device_remedy(core, cycle);
  const auto info = pod->info;
  const core::Pod& api_pod = *info->pod;
  ClaimsOfVictims victim_devices(core.claims);
  const placement::PreemptionInput input{cycle,
                                         diagnosis,
                                         budgets_of(core),
                                         core.clock().wall(),
                                         api_pod.status.nominated_node_name,
                                         core.options.device_preemption ? &victim_devices : nullptr};
  placement::Preemption preemption;
  if (failed_before_devices(diagnosis)) {
    // As the reference has it: its devices plugin finds no state of its own, and that ends the walk.
    diagnosis.postfilter_message = "not found";
    preemption.keep_nomination = true;
  } else {
    ++core.counters.preemption_attempts;
    preemption = placement::find_victims(input, core.placer.rng());
    diagnosis.postfilter_message = remedy.message;
    if (!remedy.message.empty()) diagnosis.postfilter_message += ", ";
    diagnosis.postfilter_message += preemption.message;
  }
  const std::string message = diagnosis.text();
  StatusChange change{"Unschedulable", message, std::nullopt};
  if (preemption.node != placement::kNoNode) {
    change.nominated_node = core.state.at(preemption.node).name;
    core.state.nominate(info, *change.nominated_node);
    clear_lower_nominations(core, *info, *change.nominated_node);
  } else if (!preemption.keep_nomination) {
    change.nominated_node = "";
    core.state.remove_nomination(info->uid());
  }
  ++core.counters.schedule_attempts_unschedulable;
  core.queue.reject(pod, diagnosis.plugins, !diagnosis.prefilter_message.empty());
  record_failed(core, api_pod, message);
  write_status(core, api_pod, change);
  if (remedy.deallocate) deallocate_claim(core, remedy.deallocate);
  if (remedy.remove) delete_claim(core, remedy.remove);
  if (preemption.node != placement::kNoNode) {
    evict(core, {"pod", info->uid(), *change.nominated_node}, preemption.victims);
  }
}

/// Without nodes nothing is known that could help but a node.
void refuse_without_nodes(Core& core, const QueuedPodPtr& pod) {
  placement::PluginSet plugins;
  plugins.add(placement::Plugin::kNodeDeclaredFeatures);
  const auto info = pod->info;
  ++core.counters.schedule_attempts_unschedulable;
  core.state.remove_nomination(info->uid());
  core.queue.reject(pod, plugins);
  record_failed(core, *info->pod, kNoNodes);
  write_status(core, *info->pod, {"Unschedulable", kNoNodes, ""});
}

}  // namespace

void attempt(Core& core, const QueuedPodPtr& pod) {
  if (!pod->group.empty()) {
    attempt_group(core, pod);
    return;
  }
  const core::Pod& api_pod = pod->pod();
  if (api_pod.metadata.deletion_timestamp) {
    record_failed(core, api_pod, fmt::format("skip schedule deleting pod: {}/{}", api_pod.metadata.namespace_,
                                             api_pod.metadata.name));
    core.queue.done(pod);
    return;
  }
  if (core.bindings.contains(pod->info->uid())) return;
  Cycle cycle = make_cycle(core, pod->info, nullptr);
  const std::string* nominated = core.state.nomination(pod->info->uid());
  auto outcome = core.placer.place(
      cycle, nominated != nullptr ? *nominated : api_pod.status.nominated_node_name, nullptr,
      core.alike(*pod->info));
  if (const auto* placed = std::get_if<placement::Placed>(&outcome)) {
    core.counters.nodes_evaluated += placed->evaluated;
    core.counters.class_hits += placed->by_class;
    start_binding(core, pod, decide(core, cycle, placed->node));
  } else if (auto* diagnosis = std::get_if<Diagnosis>(&outcome)) {
    core.counters.nodes_evaluated += diagnosis->nodes.size();
    if (diagnosis->node_count == 0) {
      refuse_without_nodes(core, pod);
    } else {
      refuse(core, pod, cycle, std::move(*diagnosis));
    }
  } else {
    const auto& error = std::get<placement::PlaceError>(outcome);
    handle_error(core, pod, fmt::format("running \"{}\" filter plugin: {}", placement::name_of(error.plugin),
                                        error.message));
  }
}

void handle_error(Core& core, const QueuedPodPtr& pod, const std::string& message) {
  ++core.counters.schedule_attempts_error;
  const auto info = pod->info;
  core.state.remove_nomination(info->uid());
  const auto now = core.cluster.get<core::Pod>(info->namespace_(), info->name());
  const bool waits = now != nullptr && now->metadata.uid == info->uid() && now->spec.node_name.empty();
  if (!group_key(*info->pod).empty() && core.queue.find(info->uid()) == nullptr) {
    if (!waits) return;
    core.groups.member_gone(*info->pod);
    core.groups.member_waits(info);
  } else {
    if (core.queue.find(info->uid()) != pod) return;
    if (!waits) {
      core.queue.done(pod);
      return;
    }
    core.queue.fail(pod);
  }
  record_failed(core, *info->pod, message);
  write_status(core, *info->pod, {"SchedulerError", message, ""});
}

}  // namespace dray::scheduler
