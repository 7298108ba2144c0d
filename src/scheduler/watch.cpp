#include "scheduler/watch.h"

#include <algorithm>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "api/policy_v1.h"
#include "api/resource_v1.h"
#include "api/scheduling_v1beta1.h"
#include "api/storage_v1.h"
#include "scheduler/binding.h"

namespace dray::scheduler {
namespace {

using placement::PodInfoPtr;

bool is_terminal(const core::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool is_ours(const Core& core, const core::Pod& pod) {
  const auto& name = pod.spec.scheduler_name;
  return name == core.options.name || (name.empty() && core.options.name == "default-scheduler");
}

/// Whether anything changed that placement looks at in a pod that has its node.
bool concerns_placement(const core::Pod& old, const core::Pod& fresh) {
  const auto resized = [](const core::Pod& pod) {
    return std::ranges::any_of(pod.status.container_statuses,
                               [](const auto& status) { return status.resources.has_value(); });
  };
  return old.metadata.generation != fresh.metadata.generation || fresh.metadata.generation == 0 ||
         old.metadata.labels != fresh.metadata.labels ||
         old.metadata.deletion_timestamp != fresh.metadata.deletion_timestamp ||
         old.status.start_time != fresh.status.start_time || resized(fresh) ||
         old.status.conditions.size() != fresh.status.conditions.size() ||
         old.status.node_allocatable_resource_claim_statuses.size() !=
             fresh.status.node_allocatable_resource_claim_statuses.size();
}

void assigned_gone(Core& core, const std::string& uid, const ObjectPtr& last) {
  const auto at = core.assigned.find(uid);
  PodInfoPtr info = at != core.assigned.end()
                        ? at->second
                        : placement::make_pod_info(as<core::Pod>(last), core.state.scalars());
  core.assigned.erase(uid);
  core.state.remove_pod(uid);
  core.queue.on_event({EventKind::kAssignedPodDelete, nullptr, last, nullptr, std::move(info)});
}

void pod_gone(Core& core, const ObjectPtr& last) {
  const std::string& uid = last->metadata.uid;
  const bool held_a_place = core.state.node_of(uid) != placement::kNoNode;
  stop_binding(core, uid);
  core.queue.remove(uid);
  core.state.remove_nomination(uid);
  const auto& pod = static_cast<const core::Pod&>(*last);
  if (core.uses_groups && !group_key(pod).empty()) core.groups.member_gone(pod);
  if (held_a_place) assigned_gone(core, uid, last);
}

void pod_assigned(Core& core, const std::shared_ptr<const core::Pod>& pod) {
  const std::string& uid = pod->metadata.uid;
  const auto binding = core.bindings.find(uid);
  const bool by_us = binding != core.bindings.end() && binding->second->node == pod->spec.node_name;
  if (!by_us) {
    stop_binding(core, uid);
    core.queue.remove(uid);
  }
  core.state.remove_nomination(uid);
  if (core.uses_groups && !group_key(*pod).empty()) core.groups.member_placed(*pod);
  PodInfoPtr& known = core.assigned[uid];
  const PodInfoPtr old = known;
  if (old && !concerns_placement(*old->pod, *pod)) return;
  known = placement::make_pod_info(pod, core.state.scalars());
  core.state.add_pod(known, pod->spec.node_name);
  const auto kind = old ? EventKind::kAssignedPodUpdate : EventKind::kAssignedPodAdd;
  core.queue.on_event({kind, nullptr, pod, old, known});
}

void pod_waiting(Core& core, const std::shared_ptr<const core::Pod>& pod) {
  if (!is_ours(core, *pod)) return;
  const std::string& uid = pod->metadata.uid;
  // It has a node by now, only this state of it is older.
  if (core.bindings.contains(uid) || core.state.node_of(uid) != placement::kNoNode) return;
  const QueuedPodPtr queued = core.queue.find(uid);
  PodInfoPtr info = placement::make_pod_info(pod, core.state.scalars());
  if (core.uses_groups && !group_key(*pod).empty()) {
    core.groups.member_waits(std::move(info));
    return;
  }
  if (queued == nullptr) {
    if (!pod->status.nominated_node_name.empty()) {
      core.state.nominate(info, pod->status.nominated_node_name);
    }
    core.queue.add(std::move(info));
    return;
  }
  const ClusterEvent event{EventKind::kTargetPodUpdate, queued->info->pod, pod, queued->info, info};
  core.queue.update(std::move(info), event);
}

void pod_changed(Core& core, const ObjectPtr& object) {
  const auto pod = as<core::Pod>(object);
  if (is_terminal(*pod)) {
    pod_gone(core, object);
  } else if (!pod->spec.node_name.empty()) {
    pod_assigned(core, pod);
  } else {
    pod_waiting(core, pod);
  }
}

bool node_equal(const core::Node& a, const core::Node& b) {
  const auto images_equal = [&] {
    return std::equal(a.status.images.begin(), a.status.images.end(), b.status.images.begin(),
                      b.status.images.end(), [](const auto& x, const auto& y) {
                        return x.names == y.names && x.size_bytes == y.size_bytes;
                      });
  };
  const auto taints_equal = [&] {
    return std::equal(a.spec.taints.begin(), a.spec.taints.end(), b.spec.taints.begin(),
                      b.spec.taints.end(), [](const auto& x, const auto& y) {
                        return x.key == y.key && x.value == y.value && x.effect == y.effect;
                      });
  };
  return a.metadata.labels == b.metadata.labels && a.spec.unschedulable == b.spec.unschedulable &&
         taints_equal() && a.status.allocatable == b.status.allocatable && images_equal() &&
         a.status.declared_features == b.status.declared_features;
}

void node_changed(Core& core, const ObjectPtr& old, const ObjectPtr& object) {
  const auto node = as<core::Node>(object);
  if (old != nullptr && node_equal(static_cast<const core::Node&>(*old), *node)) return;
  const dra::NodeId device_node = core.claims.devices().inventory.upsert(*node);
  core.state.upsert_node(node, device_node);
  core.queue.on_event({old ? EventKind::kNodeUpdate : EventKind::kNodeAdd, old, object, nullptr, nullptr});
}

void node_gone(Core& core, const ObjectPtr& last) {
  core.claims.devices().inventory.remove_node(last->metadata.name);
  core.state.remove_node(last->metadata.name);
  core.queue.on_event({EventKind::kNodeDelete, nullptr, last, nullptr, nullptr});
}

void claim_changed(Core& core, const ObjectPtr& old, const ObjectPtr& object) {
  core.claims.changed(as<resource::ResourceClaim>(object));
  core.queue.on_event({old ? EventKind::kClaimUpdate : EventKind::kClaimAdd, old, object, nullptr, nullptr});
  recheck_bindings(core, object->metadata.uid);
  if (core.uses_groups) core.groups.recheck_gates();
}

void claim_gone(Core& core, const ObjectPtr& last) {
  core.claims.removed(as<resource::ResourceClaim>(last));
  core.queue.on_event({EventKind::kClaimDelete, nullptr, last, nullptr, nullptr});
}

void slice_changed(Core& core, const ObjectPtr& old, const ObjectPtr& object) {
  core.claims.devices().inventory.upsert(as<resource::ResourceSlice>(object));
  core.claims.slice_changed(old.get(), object.get());
  core.queue.on_event({EventKind::kSliceChange, old, object, nullptr, nullptr});
}

void slice_gone(Core& core, const ObjectPtr& last) {
  core.claims.devices().inventory.remove_slice(last->metadata.name);
  core.claims.slice_changed(last.get(), nullptr);
}

void rule_changed(Core& core, const ObjectPtr& object, bool gone) {
  auto& inventory = core.claims.devices().inventory;
  if (gone) {
    inventory.remove_taint_rule(object->metadata.name);
  } else {
    inventory.upsert(as<resource::DeviceTaintRule>(object));
  }
  core.state.devices_changed();
  core.queue.on_event({EventKind::kSliceChange, nullptr, object, nullptr, nullptr});
}

void class_changed(Core& core, const ObjectPtr& object) {
  core.claims.devices().classes.upsert(as<resource::DeviceClass>(object));
  core.state.devices_changed();
  core.queue.on_event({EventKind::kClassChange, nullptr, object, nullptr, nullptr});
}

void class_gone(Core& core, const ObjectPtr& last) {
  core.claims.devices().classes.remove(last->metadata.name);
  core.state.devices_changed();
}

void volume_changed(Core& core, const ObjectPtr& old, const ObjectPtr& object) {
  core.queue.on_event({EventKind::kVolumeChange, old, object, nullptr, nullptr});
}

void volume_gone(Core&, const ObjectPtr&) {}

void group_changed(Core& core, const ObjectPtr&, const ObjectPtr& object) {
  core.groups.changed(as<scheduling_v1beta1::PodGroup>(object));
}

void group_gone(Core& core, const ObjectPtr& last) {
  core.groups.removed(as<scheduling_v1beta1::PodGroup>(last));
}

using Changed = void (*)(Core&, const ObjectPtr& old, const ObjectPtr& object);
using Gone = void (*)(Core&, const ObjectPtr& last);

template <class Kind>
void watch(Core& core, Changed changed, Gone gone) {
  auto& informer = core.cluster.informer<Kind>();
  core.informers.push_back(&informer);
  if (changed == nullptr) return;
  const auto weak = core.weak_from_this();
  client::Handler handler;
  handler.added = [weak, changed](const ObjectPtr& object) {
    if (const auto owner = weak.lock()) changed(*owner, nullptr, object);
  };
  handler.updated = [weak, changed](const ObjectPtr& old, const ObjectPtr& object) {
    if (const auto owner = weak.lock()) changed(*owner, old, object);
  };
  handler.deleted = [weak, gone](const ObjectPtr& last) {
    if (const auto owner = weak.lock()) gone(*owner, last);
  };
  informer.add_handler(std::move(handler));
}

}  // namespace

void watch_cluster(Core& core) {
  watch<core::Namespace>(
      core,
      [](Core& c, const ObjectPtr&, const ObjectPtr& object) {
        c.state.set_namespace(object->metadata.name, object->metadata.labels);
      },
      [](Core& c, const ObjectPtr& last) { c.state.remove_namespace(last->metadata.name); });
  watch<core::Node>(core, node_changed, node_gone);
  watch<resource::DeviceClass>(
      core, [](Core& c, const ObjectPtr&, const ObjectPtr& object) { class_changed(c, object); },
      class_gone);
  watch<resource::ResourceSlice>(core, slice_changed, slice_gone);
  watch<resource::DeviceTaintRule>(
      core, [](Core& c, const ObjectPtr&, const ObjectPtr& object) { rule_changed(c, object, false); },
      [](Core& c, const ObjectPtr& last) { rule_changed(c, last, true); });
  watch<resource::ResourceClaim>(core, claim_changed, claim_gone);
  watch<core::Pod>(
      core,
      [](Core& c, const ObjectPtr& old, const ObjectPtr& object) {
        if (old != nullptr && old->metadata.uid != object->metadata.uid) pod_gone(c, old);
        pod_changed(c, object);
      },
      pod_gone);
  if (core.uses_groups) watch<scheduling_v1beta1::PodGroup>(core, group_changed, group_gone);
  watch<core::PersistentVolume>(core, volume_changed, volume_gone);
  watch<core::PersistentVolumeClaim>(core, volume_changed, volume_gone);
  watch<storage::StorageClass>(core, volume_changed, volume_gone);
  watch<policy::PodDisruptionBudget>(core, nullptr, nullptr);
  watch<core::Service>(core, nullptr, nullptr);
  watch<apps::ReplicaSet>(core, nullptr, nullptr);
}

bool is_synced(Core& core) {
  return std::ranges::all_of(core.informers, [](const auto* informer) { return informer->synced(); });
}

}  // namespace dray::scheduler
