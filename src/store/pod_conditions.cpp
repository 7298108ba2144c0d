#include "store/pod_conditions.h"

#include "api/core_v1.h"

namespace dray::store {

bool set_pod_condition(core::Pod& pod, const ConditionUpdate& update, Time now) {
  for (core::PodCondition& one : pod.status.conditions) {
    if (one.type != update.type) continue;
    if (one.status == update.status && one.reason == update.reason && one.message == update.message) return false;
    if (one.status != update.status) one.last_transition_time = now;
    one.status = update.status;
    one.reason = update.reason;
    one.message = update.message;
    return true;
  }
  core::PodCondition& fresh = pod.status.conditions.emplace_back();
  fresh.type = update.type;
  fresh.status = update.status;
  fresh.reason = update.reason;
  fresh.message = update.message;
  fresh.last_transition_time = now;
  return true;
}

const core::PodCondition* pod_condition(const core::Pod& pod, std::string_view type) {
  for (const core::PodCondition& one : pod.status.conditions) {
    if (one.type == type) return &one;
  }
  return nullptr;
}

bool is_pod_ready(const core::Pod& pod) {
  const core::PodCondition* const ready = pod_condition(pod, "Ready");
  return ready && ready->status == "True";
}

}  // namespace dray::store
