#include "scheduler/groups.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/scheduling_v1beta1.h"

namespace dray::scheduler {
namespace {

/// The group as the queue sees it: a pod of the group's name, uid and priority.
placement::PodInfoPtr entity_of(const scheduling_v1beta1::PodGroup& group,
                                placement::ScalarNames& scalars) {
  auto pod = std::make_shared<core::Pod>();
  pod->metadata = group.metadata;
  pod->spec.priority = priority_of(group);
  return placement::make_pod_info(std::move(pod), scalars);
}

}  // namespace

std::string group_key(const core::Pod& pod) {
  const auto& group = pod.spec.scheduling_group;
  if (!group || !group->pod_group_name) return {};
  return pod.metadata.namespace_ + "/" + *group->pod_group_name;
}

int min_count(const scheduling_v1beta1::PodGroup& group) {
  const auto& gang = group.spec.scheduling_policy.gang;
  return gang ? gang->min_count : 1;
}

std::int32_t priority_of(const scheduling_v1beta1::PodGroup& group) { return group.spec.priority.value_or(0); }

bool disrupts_all(const scheduling_v1beta1::PodGroup& group) {
  return group.spec.disruption_mode && group.spec.disruption_mode->all;
}

void Groups::changed(GroupPtr group) {
  const std::string key = group->metadata.namespace_ + "/" + group->metadata.name;
  groups_[key].object = std::move(group);
  refresh(key);
}

void Groups::removed(const GroupPtr& group) {
  const std::string key = group->metadata.namespace_ + "/" + group->metadata.name;
  queue_.remove(group->metadata.uid);
  const auto at = groups_.find(key);
  if (at == groups_.end()) return;
  at->second.object = nullptr;
  if (at->second.waiting.empty() && at->second.placed.empty()) groups_.erase(at);
}

void Groups::member_waits(placement::PodInfoPtr pod) {
  const std::string key = group_key(*pod->pod);
  auto& member = groups_[key].waiting[pod->uid()];
  if (member == nullptr) {
    member = std::make_shared<QueuedPod>();
    member->queued_at = clock_.mono();
    member->order = next_order_++;
  }
  member->info = std::move(pod);
  refresh(key);
}

void Groups::member_placed(const core::Pod& pod) {
  const std::string key = group_key(pod);
  Group& group = groups_[key];
  group.waiting.erase(pod.metadata.uid);
  group.placed.insert(pod.metadata.uid);
  refresh(key);
}

void Groups::member_gone(const core::Pod& pod) {
  const std::string key = group_key(pod);
  const auto at = groups_.find(key);
  if (at == groups_.end()) return;
  at->second.waiting.erase(pod.metadata.uid);
  at->second.placed.erase(pod.metadata.uid);
  refresh(key);
}

void Groups::recheck_gates() {
  std::vector<std::string> keys;
  for (const auto& [key, group] : groups_) {
    if (group.object && !group.waiting.empty()) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  for (const auto& key : keys) refresh(key);
}

void Groups::refresh(const std::string& key) {
  Group& group = groups_[key];
  if (group.object == nullptr) return;
  const std::string& uid = group.object->metadata.uid;
  const QueuedPodPtr entity = queue_.find(uid);
  if (group.waiting.empty()) {
    if (entity != nullptr && entity->where != QueuedPod::Where::kInFlight) queue_.remove(uid);
    return;
  }
  if (entity == nullptr) {
    queue_.add_group(entity_of(*group.object, scalars_), key, group.waiting.size());
    return;
  }
  entity->members = group.waiting.size();
  const auto info = entity_of(*group.object, scalars_);
  const ClusterEvent event{EventKind::kPodGroupChange, nullptr, group.object, entity->info, info};
  queue_.update(info, event);
}

const Group* Groups::find(const std::string& key) const {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}

Group* Groups::find(const std::string& key) {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}

GroupPtr Groups::object_of(const core::Pod& pod) const {
  const std::string key = group_key(pod);
  const Group* group = key.empty() ? nullptr : find(key);
  return group == nullptr ? nullptr : group->object;
}

std::int32_t Groups::priority_of_unit(const placement::PodInfo& pod) const {
  const GroupPtr group = object_of(*pod.pod);
  return group == nullptr ? pod.priority : priority_of(*group);
}

std::vector<QueuedPodPtr> Groups::in_order(const Group& group) {
  std::vector<QueuedPodPtr> out;
  for (const auto& [uid, member] : group.waiting) out.push_back(member);
  std::stable_sort(out.begin(), out.end(), [](const QueuedPodPtr& a, const QueuedPodPtr& b) {
    if (a->info->priority != b->info->priority) return a->info->priority > b->info->priority;
    if (a->attempts != b->attempts) return a->attempts > b->attempts;
    if (a->queued_at != b->queued_at) return a->queued_at < b->queued_at;
    return a->info->name() < b->info->name();
  });
  return out;
}

}  // namespace dray::scheduler
