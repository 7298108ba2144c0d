#include "scheduler/group_status.h"

#include "api/scheduling_v1beta1.h"

namespace dray::scheduler {

void write_group_condition(Core& core, const scheduling_v1beta1::PodGroup& group, bool scheduled,
                           const std::string& reason, const std::string& message) {
  using scheduling_v1beta1::PodGroup;
  static const std::string kType = "PodGroupInitiallyScheduled";
  const auto now = core.cluster.get<PodGroup>(group.metadata.namespace_, group.metadata.name);
  if (now == nullptr || now->metadata.uid != group.metadata.uid) return;
  auto fresh = std::make_shared<PodGroup>(*now);
  meta::Condition wanted;
  wanted.type = kType;
  wanted.status = scheduled ? "True" : "False";
  wanted.reason = reason;
  wanted.message = message;
  wanted.observed_generation = now->metadata.generation;
  wanted.last_transition_time = Time::of(core.clock().wall());
  for (auto& condition : fresh->status.conditions) {
    if (condition.type != kType) continue;
    const bool same = condition.status == wanted.status && condition.reason == reason &&
                      condition.message == message;
    if (condition.status == "True" || same) return;
    if (condition.status == wanted.status) wanted.last_transition_time = condition.last_transition_time;
    condition = wanted;
    core.cluster.update_status(fresh, {});
    return;
  }
  fresh->status.conditions.push_back(std::move(wanted));
  core.cluster.update_status(fresh, {});
}

}  // namespace dray::scheduler
