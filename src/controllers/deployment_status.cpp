/// What the ReplicaSets say of a Deployment's progress.
#include <algorithm>

#include <fmt/format.h>

#include "api/apps_v1.h"
#include "controllers/deployment_plan.h"

namespace dray::controllers {
namespace {

using Conditions = std::vector<apps::DeploymentCondition>;

const apps::DeploymentCondition* find_condition(const Conditions& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &apps::DeploymentCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

void drop_condition(Conditions& conditions, std::string_view type) {
  std::erase_if(conditions, [type](const auto& one) { return one.type == type; });
}

apps::DeploymentCondition condition(std::string type, std::string status, std::string reason, std::string message, Time now) {
  apps::DeploymentCondition out;
  out.type = std::move(type);
  out.status = std::move(status);
  out.reason = std::move(reason);
  out.message = std::move(message);
  out.last_update_time = out.last_transition_time = now;
  return out;
}

std::string subject(const apps::Deployment& deployment, const ReplicaSets& sets) {
  return sets.fresh ? fmt::format("ReplicaSet \"{}\"", sets.fresh->name())
                    : fmt::format("Deployment \"{}\"", deployment.name());
}

bool made_progress(const apps::DeploymentStatus& before, const apps::DeploymentStatus& after) {
  return after.updated_replicas > before.updated_replicas ||
         after.replicas - after.updated_replicas < before.replicas - before.updated_replicas ||
         after.ready_replicas > before.ready_replicas || after.available_replicas > before.available_replicas;
}

bool timed_out(const apps::Deployment& deployment, const Conditions& conditions, Time now) {
  const auto* const current = find_condition(conditions, "Progressing");
  if (!current || current->reason == "NewReplicaSetAvailable") return false;
  if (current->reason == "ProgressDeadlineExceeded") return true;
  return Time{current->last_update_time.seconds + *deployment.spec.progress_deadline_seconds} < now;
}

void estimate_progress(const apps::Deployment& deployment, const ReplicaSets& sets, Time now, apps::DeploymentStatus& status) {
  const auto* const current = find_condition(deployment.status.conditions, "Progressing");
  const bool was_complete = current && current->reason == "NewReplicaSetAvailable";
  if (was_complete && status.replicas == status.updated_replicas) return;
  const std::string who = subject(deployment, sets);
  if (is_complete(deployment, status)) {
    set_condition(status.conditions, progressing("True", "NewReplicaSetAvailable", who + " has successfully progressed.", now));
  } else if (made_progress(deployment.status, status)) {
    auto fresh = progressing("True", "ReplicaSetUpdated", who + " is progressing.", now);
    if (current && current->status == "True") fresh.last_transition_time = current->last_transition_time;
    drop_condition(status.conditions, "Progressing");  // its update time moves with every progress
    status.conditions.push_back(std::move(fresh));
  } else if (timed_out(deployment, status.conditions, now)) {
    set_condition(status.conditions, progressing("False", "ProgressDeadlineExceeded", who + " has timed out progressing.", now));
  }
}

/// The failure of the fresh set, or else of any other.
void copy_failure(const ReplicaSets& sets, Conditions& conditions) {
  std::vector<SetPtr> order = sets.old;
  if (sets.fresh) order.insert(order.begin(), sets.fresh);
  for (const SetPtr& set : order) {
    for (const apps::ReplicaSetCondition& one : set->status.conditions) {
      if (one.type != "ReplicaFailure") continue;
      auto fresh = condition("ReplicaFailure", one.status, one.reason, one.message, one.last_transition_time);
      return set_condition(conditions, std::move(fresh));
    }
  }
  drop_condition(conditions, "ReplicaFailure");
}

}  // namespace

bool has_deadline(const apps::Deployment& deployment) {
  return deployment.spec.progress_deadline_seconds && *deployment.spec.progress_deadline_seconds != INT32_MAX;
}

apps::DeploymentCondition progressing(std::string status, std::string reason, std::string message, Time now) {
  return condition("Progressing", std::move(status), std::move(reason), std::move(message), now);
}

void set_condition(Conditions& conditions, apps::DeploymentCondition fresh) {
  if (const auto* const current = find_condition(conditions, fresh.type)) {
    if (current->status == fresh.status && current->reason == fresh.reason) return;
    if (current->status == fresh.status) fresh.last_transition_time = current->last_transition_time;
  }
  drop_condition(conditions, fresh.type);
  conditions.push_back(std::move(fresh));
}

bool is_complete(const apps::Deployment& deployment, const apps::DeploymentStatus& status) {
  const std::int32_t desired = replicas_of(deployment);
  return status.updated_replicas == desired && status.replicas == desired && status.available_replicas == desired &&
         status.observed_generation >= deployment.metadata.generation;
}

apps::DeploymentStatus deployment_status(const apps::Deployment& deployment, const ReplicaSets& sets, Time now) {
  apps::DeploymentStatus out;
  out.observed_generation = deployment.metadata.generation;
  out.collision_count = deployment.status.collision_count;
  out.conditions = deployment.status.conditions;
  std::int32_t wanted = 0, terminating = 0;
  for (const SetPtr& set : sets.all()) {
    wanted += replicas_of(*set);
    out.replicas += set->status.replicas;
    out.ready_replicas += set->status.ready_replicas;
    out.available_replicas += set->status.available_replicas;
    terminating += set->status.terminating_replicas.value_or(0);
  }
  out.terminating_replicas = terminating;
  out.updated_replicas = sets.fresh ? sets.fresh->status.replicas : 0;
  out.unavailable_replicas = std::max(0, wanted - out.available_replicas);
  const bool enough = out.available_replicas >= replicas_of(deployment) - max_unavailable(deployment);
  set_condition(out.conditions,
                enough ? condition("Available", "True", "MinimumReplicasAvailable",
                                   "Deployment has minimum availability.", now)
                       : condition("Available", "False", "MinimumReplicasUnavailable",
                                   "Deployment does not have minimum availability.", now));
  return out;
}

apps::DeploymentStatus rollout_status(const apps::Deployment& deployment, const ReplicaSets& sets, Time now) {
  apps::DeploymentStatus out = deployment_status(deployment, sets, now);
  if (has_deadline(deployment)) {
    estimate_progress(deployment, sets, now, out);
  } else {
    drop_condition(out.conditions, "Progressing");
  }
  copy_failure(sets, out.conditions);
  return out;
}

}  // namespace dray::controllers
