#include "scheduler/eviction.h"

#include <fmt/format.h>

#include "api/core_v1.h"
#include "scheduler/pod_status.h"

namespace dray::scheduler {
namespace {

bool set_disruption_target(core::Pod& pod, const std::string& message, Now now) {
  for (auto& condition : pod.status.conditions) {
    if (condition.type != "DisruptionTarget") continue;
    if (condition.status == "True" && condition.reason == "PreemptionByScheduler") return false;
    condition = {};
    condition.type = "DisruptionTarget";
    condition.status = "True";
    condition.reason = "PreemptionByScheduler";
    condition.message = message;
    condition.last_transition_time = Time::of(now.wall);
    return true;
  }
  core::PodCondition condition;
  condition.type = "DisruptionTarget";
  condition.status = "True";
  condition.reason = "PreemptionByScheduler";
  condition.message = message;
  condition.observed_generation = pod.metadata.generation;
  condition.last_transition_time = Time::of(now.wall);
  pod.status.conditions.push_back(std::move(condition));
  return true;
}

void remove(Core& core, const core::Pod& victim) {
  core.cluster.remove(core::Pod::kDescriptor, victim.metadata.namespace_, victim.metadata.name);
}

}  // namespace

void evict(Core& core, const Preemptor& preemptor, const std::vector<placement::PodInfoPtr>& victims) {
  const std::string message =
      core.options.name + ": preempting to accommodate a higher priority " + preemptor.kind;
  for (const auto& victim : victims) {
    ++core.counters.preemption_victims;
    if (victim->is_terminating()) continue;
    const auto pod = victim->pod;
    client::EventNote note;
    note.reason = "Preempted";
    note.message = fmt::format("Preempted by {} {} on node {}", preemptor.kind, preemptor.uid, preemptor.where);
    note.component = core.options.name;
    note.action = "Preempting";
    core.cluster.record(*pod, note);
    modify_status(
        core, pod->metadata.namespace_, pod->metadata.name,
        [message, uid = pod->metadata.uid, now = core.clock().now()](core::Pod& fresh) {
          return fresh.metadata.uid == uid && set_disruption_target(fresh, message, now);
        },
        [weak = core.weak_from_this(), pod](const Result<ObjectPtr>&) {
          if (const auto owner = weak.lock()) remove(*owner, *pod);
        });
  }
}

}  // namespace dray::scheduler
