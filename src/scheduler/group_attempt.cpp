#include "scheduler/group_attempt.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/core_v1.h"
#include "api/scheduling_v1beta1.h"
#include "scheduler/binding.h"
#include "scheduler/cycles.h"
#include "scheduler/group_preemption.h"
#include "scheduler/group_status.h"
#include "scheduler/pod_status.h"

namespace dray::scheduler {
namespace {

using placement::Diagnosis;

constexpr const char* kUnschedulable = "pod group is unschedulable";
/// Kubernetes says so for every group, also for one without claims.
constexpr const char* kClaimsFreed = "deallocation and deletion of ResourceClaims completed";

/// Why the members can't be scheduled together whatever the nodes are; empty if they can.
std::string contradiction(const Core& core, const scheduling_v1beta1::PodGroup& group,
                          const std::vector<QueuedPodPtr>& members) {
  for (const auto& member : members) {
    const auto& spec = member->pod().spec;
    const auto& first = members.front()->pod().spec;
    if (spec.scheduler_name != first.scheduler_name) {
      return fmt::format("all pods in a single pod group should have the same .spec.schedulerName set, "
                         "got: \"{}\" and \"{}\"", first.scheduler_name, spec.scheduler_name);
    }
    if (member->info->priority != priority_of(group)) {
      return fmt::format("all pods in a single pod group should have the same priority as the pod group's "
                         "priority, got {} and {}", member->info->priority, priority_of(group));
    }
    const std::string policy = spec.preemption_policy.value_or("PreemptLowerPriority");
    const std::string wanted = core.cluster.gates().enabled("PodGroupPreemptionPolicy")
                                   ? group.spec.preemption_policy.value_or("PreemptLowerPriority")
                                   : first.preemption_policy.value_or("PreemptLowerPriority");
    if (policy != wanted) {
      const char* whose = core.cluster.gates().enabled("PodGroupPreemptionPolicy")
                              ? " as the pod group's preemption policy" : "";
      return fmt::format("all pods in a single pod group should have the same preemption policy{}, got {} and {}",
                         whose, policy, wanted);
    }
  }
  return {};
}

void fail_all(Core& core, const QueuedPodPtr& entity, const scheduling_v1beta1::PodGroup& group,
              const std::vector<QueuedPodPtr>& members, const std::string& message) {
  write_group_condition(core, group, false, "SchedulerError", message);
  ++core.counters.schedule_attempts_error;
  for (const auto& member : members) {
    record_failed(core, member->pod(), message);
    write_status(core, member->pod(), {"SchedulerError", message, ""});
  }
  core.queue.again(entity, Queue::GroupOutcome::kFailed);
}

void refuse_member(Core& core, const QueuedPodPtr& member, const std::string& message,
                   const std::string& nominated) {
  ++core.counters.schedule_attempts_unschedulable;
  ++member->attempts;
  record_failed(core, member->pod(), message);
  write_status(core, member->pod(), {"Unschedulable", message, nominated});
}

/// What a refused group tells and does: victims may make room.
void refuse_all(Core& core, const QueuedPodPtr& entity, const scheduling_v1beta1::PodGroup& group,
                const GroupTry& result) {
  std::string message = result.reason;
  const GroupPreemption preemption = preempt_for_group(core, group, result.members);
  const auto append = [&](const std::string& text) {
    if (text.empty()) return;
    if (!message.empty()) message += ", ";
    message += text;
  };
  const bool in_domains = core.cluster.gates().enabled("TopologyAwareWorkloadScheduling");
  const bool constrained = in_domains && group.spec.scheduling_constraints;
  if (!preemption.alone && !constrained) append(kClaimsFreed);
  append("pod group preemption: " + preemption.message);
  // With domains the first word comes from the search over them, and the pods repeat it.
  const std::string condition =
      in_domains && result.tried_any ? std::string(kUnschedulable) + ", " + message : message;
  write_group_condition(core, group, false, "Unschedulable", condition);
  for (std::size_t i = 0; i < result.members.size(); ++i) {
    const auto& member = result.members[i];
    const auto nominated = preemption.nominated.find(member->info->uid());
    const std::string node = nominated == preemption.nominated.end() ? "" : nominated->second;
    core.state.remove_nomination(member->info->uid());
    if (!node.empty()) core.state.nominate(member->info, node);
    const MemberTry* tried = i < result.tries.size() ? &result.tries[i] : nullptr;
    if (tried == nullptr) {
      refuse_member(core, member, result.reason, node);
    } else if (tried->node == placement::kNoNode) {
      refuse_member(core, member, tried->diagnosis.text(), node);
    } else {
      refuse_member(core, member, std::string(kUnschedulable) + ", " + condition, node);
    }
  }
  core.queue.again(entity, Queue::GroupOutcome::kRefused);
  evict_for_group(core, group, preemption);
}

void accept_all(Core& core, const QueuedPodPtr& entity, const scheduling_v1beta1::PodGroup& group,
                GroupTry& result) {
  bool left = false;
  for (auto& tried : result.tries) {
    if (tried.node == placement::kNoNode) {
      left = true;
      refuse_member(core, tried.member, tried.diagnosis.text(), "");
    }
  }
  write_group_condition(core, group, true, "Scheduled", "");
  for (auto& tried : result.tries) {
    if (tried.node == placement::kNoNode) continue;
    core.groups.member_placed(tried.member->pod());
    start_binding(core, tried.member, std::move(tried.decision));
  }
  if (left) {
    core.queue.again(entity, Queue::GroupOutcome::kPlaced, true);
  } else if (core.queue.find(entity->info->uid()) == entity) {
    core.queue.done(entity);
    core.groups.recheck_gates();
  }
}

}  // namespace

void attempt_group(Core& core, const QueuedPodPtr& entity) {
  Group* group = core.groups.of(*entity);
  if (group == nullptr || group->object == nullptr) {
    core.queue.done(entity);
    return;
  }
  const GroupPtr object = group->object;
  std::vector<QueuedPodPtr> members = Groups::in_order(*group);
  std::erase_if(members, [](const auto& member) {
    return member->pod().metadata.deletion_timestamp.has_value();
  });
  if (members.empty()) {
    core.queue.done(entity);
    return;
  }
  const std::string wrong = contradiction(core, *object, members);
  if (!wrong.empty()) {
    fail_all(core, entity, *object, members, wrong);
    return;
  }
  GroupTry result = try_group(core, *object, members, group->placed.size());
  if (!result.error.empty()) {
    fail_all(core, entity, *object, members, result.error);
  } else if (result.fits) {
    accept_all(core, entity, *object, result);
  } else {
    refuse_all(core, entity, *object, result);
  }
}

}  // namespace dray::scheduler
