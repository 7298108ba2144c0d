#include "scheduler/hints.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "placement/filters.h"
#include "machinery/quantity.h"

namespace dray::scheduler {
namespace {

using placement::Labels;
using placement::PodInfo;
using placement::PodInfoPtr;

const core::Node* node_of(const ObjectPtr& object) { return static_cast<const core::Node*>(object.get()); }
const resource::ResourceClaim* claim_of(const ObjectPtr& object) {
  return static_cast<const resource::ResourceClaim*>(object.get());
}

bool is_node_event(const ClusterEvent& event) {
  return event.kind == EventKind::kNodeAdd || event.kind == EventKind::kNodeUpdate;
}

bool labels_changed(const ClusterEvent& event) {
  return event.old == nullptr || event.old->metadata.labels != event.object->metadata.labels;
}

bool allocatable_changed(const ClusterEvent& event) {
  return event.old == nullptr ||
         node_of(event.old)->status.allocatable != node_of(event.object)->status.allocatable;
}

bool taints_equal(const core::Node& a, const core::Node& b) {
  return a.spec.unschedulable == b.spec.unschedulable &&
         std::equal(a.spec.taints.begin(), a.spec.taints.end(), b.spec.taints.begin(),
                    b.spec.taints.end(), [](const auto& x, const auto& y) {
                      return x.key == y.key && x.value == y.value && x.effect == y.effect;
                    });
}

bool taints_changed(const ClusterEvent& event) {
  return event.old == nullptr || !taints_equal(*node_of(event.old), *node_of(event.object));
}

bool tolerations_changed(const ClusterEvent& event) {
  return event.kind == EventKind::kTargetPodUpdate &&
         event.old_pod->pod->spec.tolerations.size() != event.pod->pod->spec.tolerations.size();
}

/// The node as the state has it by now, if it is there.
const placement::NodeInfo* info_of(const HintContext& context, const ClusterEvent& event) {
  const auto index = context.state.find(event.object->metadata.name);
  return index == placement::kNoNode ? nullptr : &context.state.at(index);
}

using Check = placement::Verdict (*)(const PodInfo&, const placement::NodeInfo&);

bool node_passes(const HintContext& context, const QueuedPod& pod, const ClusterEvent& event,
                 Check check) {
  const auto* node = info_of(context, event);
  return node != nullptr && check(*pod.info, *node).fits();
}

bool resources_may_fit(const HintContext& context, const QueuedPod& pod, const ClusterEvent& event) {
  if (event.kind == EventKind::kAssignedPodDelete) return true;
  if (event.kind == EventKind::kClassChange) return true;
  if (event.kind == EventKind::kAssignedPodUpdate) {
    return !(event.old_pod->requests.real == event.pod->requests.real);
  }
  if (event.kind == EventKind::kTargetPodUpdate) {
    return !(event.old_pod->requests.real == event.pod->requests.real);
  }
  if (!is_node_event(event) || !allocatable_changed(event)) return false;
  const auto* node = info_of(context, event);
  return node != nullptr &&
         placement::check_resources(*pod.info, *node, {}, context.state.scalars()).fits();
}

bool frees_port(const QueuedPod& pod, const ClusterEvent& event) {
  if (event.kind != EventKind::kAssignedPodDelete) return event.kind == EventKind::kNodeAdd;
  return std::any_of(pod.info->ports.begin(), pod.info->ports.end(), [&](const auto& wanted) {
    return std::any_of(event.pod->ports.begin(), event.pod->ports.end(),
                       [&](const auto& used) { return placement::conflict(wanted, used); });
  });
}

bool is_assigned_event(const ClusterEvent& event) {
  return event.kind == EventKind::kAssignedPodAdd || event.kind == EventKind::kAssignedPodUpdate ||
         event.kind == EventKind::kAssignedPodDelete;
}

bool spread_may_fit(const QueuedPod& pod, const ClusterEvent& event) {
  if (event.kind == EventKind::kTargetPodUpdate) {
    return event.old_pod->labels() != event.pod->labels() || tolerations_changed(event);
  }
  const auto& constraints = pod.info->hard_spread;
  if (is_assigned_event(event)) {
    if (event.pod->namespace_() != pod.info->namespace_()) return false;
    return std::any_of(constraints.begin(), constraints.end(), [&](const auto& c) {
      return placement::matches(c.selector.get(), event.pod->labels()) ||
             (event.old_pod && placement::matches(c.selector.get(), event.old_pod->labels()));
    });
  }
  if (!is_node_event(event) && event.kind != EventKind::kNodeDelete) return false;
  if (event.kind == EventKind::kNodeUpdate && !labels_changed(event) && !taints_changed(event)) {
    return false;
  }
  const auto has_keys = [&](const Labels& labels) {
    return std::all_of(constraints.begin(), constraints.end(), [&](const auto& c) {
      return placement::find_label(labels, c.topology_key) != nullptr;
    });
  };
  return has_keys(event.object->metadata.labels) ||
         (event.old && has_keys(event.old->metadata.labels));
}

bool any_term_matches(const HintContext& context, const std::vector<placement::AffinityTerm>& terms,
                      const PodInfo& pod) {
  return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
    return term.matches(pod.namespace_(), pod.labels(),
                        context.state.namespace_labels(pod.namespace_()));
  });
}

bool affinity_may_fit(const HintContext& context, const QueuedPod& pod, const ClusterEvent& event) {
  if (event.kind == EventKind::kTargetPodUpdate) {
    return event.old_pod->labels() != event.pod->labels();
  }
  if (is_assigned_event(event)) {
    const bool gone = event.kind == EventKind::kAssignedPodDelete;
    const bool changed = event.kind == EventKind::kAssignedPodUpdate;
    if (!gone && any_term_matches(context, pod.info->required_affinity, *event.pod)) return true;
    if (!gone && !changed) return false;
    const PodInfo& before = changed ? *event.old_pod : *event.pod;
    return any_term_matches(context, pod.info->required_anti_affinity, before) ||
           any_term_matches(context, before.required_anti_affinity, *pod.info) ||
           (gone && any_term_matches(context, pod.info->required_affinity, before));
  }
  if (!is_node_event(event) || !labels_changed(event)) return false;
  const auto has_key = [&](const auto& term) {
    return placement::find_label(event.object->metadata.labels, term.topology_key) != nullptr;
  };
  const auto& wanted = pod.info->required_affinity;
  if (std::any_of(wanted.begin(), wanted.end(), has_key)) return true;
  return wanted.empty() || !pod.info->required_anti_affinity.empty();
}

bool refers_to(const core::Pod& pod, const Object& claim) {
  const auto keys = claim_keys(pod);
  return std::find(keys.begin(), keys.end(), claim.metadata.namespace_ + "/" + claim.metadata.name) !=
         keys.end();
}

bool status_equal(const resource::ResourceClaim& a, const resource::ResourceClaim& b);

bool claim_may_help(const HintContext& context, const QueuedPod& pod, const ClusterEvent& event) {
  const auto* fresh = claim_of(event.object);
  if (event.kind == EventKind::kClaimDelete) return fresh->status.allocation.has_value();
  if (!context.claims_in_order(pod.pod())) return false;
  const auto* old = claim_of(event.old);
  if (old != nullptr && old->status.allocation && !fresh->status.allocation) return true;
  if (!refers_to(pod.pod(), *fresh)) return false;
  return old == nullptr || !status_equal(*old, *fresh);
}

bool devices_may_fit(const HintContext& context, const QueuedPod& pod, const ClusterEvent& event) {
  switch (event.kind) {
    case EventKind::kNodeAdd:
    case EventKind::kNodeUpdate: return labels_changed(event) || allocatable_changed(event);
    case EventKind::kClaimAdd:
    case EventKind::kClaimUpdate:
    case EventKind::kClaimDelete: return claim_may_help(context, pod, event);
    case EventKind::kTargetPodUpdate:
      return claim_keys(*event.old_pod->pod) != claim_keys(*event.pod->pod) &&
             context.claims_in_order(*event.pod->pod);
    case EventKind::kSliceChange:
    case EventKind::kClassChange: return true;
    default: return false;
  }
}

bool status_equal(const resource::ResourceClaim& a, const resource::ResourceClaim& b) {
  return a.status.allocation.has_value() == b.status.allocation.has_value() &&
         a.status.reserved_for.size() == b.status.reserved_for.size() &&
         a.status.devices.size() == b.status.devices.size() &&
         a.metadata.resource_version == b.metadata.resource_version;
}

bool volumes_may_fit(const ClusterEvent& event) {
  return event.kind == EventKind::kVolumeChange || event.kind == EventKind::kNodeAdd ||
         event.kind == EventKind::kAssignedPodDelete ||
         (event.kind == EventKind::kNodeUpdate && (labels_changed(event) || taints_changed(event)));
}

bool features_may_fit(const QueuedPod& pod, const ClusterEvent& event) {
  if (event.kind == EventKind::kTargetPodUpdate) {
    return placement::needed_features(*event.old_pod->pod) != placement::needed_features(*event.pod->pod);
  }
  if (!is_node_event(event)) return false;
  if (event.old != nullptr && node_of(event.old)->status.declared_features ==
                                  node_of(event.object)->status.declared_features) {
    return false;
  }
  (void)pod;
  return true;
}

bool may_help(const HintContext& context, placement::Plugin plugin, const QueuedPod& pod,
              const ClusterEvent& event) {
  using placement::Plugin;
  switch (plugin) {
    case Plugin::kSchedulingGates: return event.kind == EventKind::kTargetPodUpdate;
    case Plugin::kNodeName:
      return event.kind == EventKind::kNodeAdd &&
             event.object->metadata.name == pod.pod().spec.node_name;
    case Plugin::kNodeUnschedulable:
      return tolerations_changed(event) || (is_node_event(event) && taints_changed(event) &&
                                            node_passes(context, pod, event, placement::check_unschedulable));
    case Plugin::kTaintToleration:
      return tolerations_changed(event) || (is_node_event(event) && taints_changed(event) &&
                                            node_passes(context, pod, event, placement::check_taints));
    case Plugin::kNodeAffinity:
      return is_node_event(event) && labels_changed(event) &&
             node_passes(context, pod, event, placement::check_node_affinity);
    case Plugin::kNodePorts: return frees_port(pod, event);
    case Plugin::kNodeResourcesFit: return resources_may_fit(context, pod, event);
    case Plugin::kVolumeRestrictions:
    case Plugin::kNodeVolumeLimits:
    case Plugin::kVolumeBinding:
    case Plugin::kVolumeZone: return volumes_may_fit(event);
    case Plugin::kPodTopologySpread: return spread_may_fit(pod, event);
    case Plugin::kInterPodAffinity: return affinity_may_fit(context, pod, event);
    case Plugin::kDynamicResources: return devices_may_fit(context, pod, event);
    case Plugin::kDefaultPreemption: return event.kind == EventKind::kAssignedPodDelete;
    case Plugin::kNodeDeclaredFeatures: return features_may_fit(pod, event);
    case Plugin::kGangScheduling:
    case Plugin::kTopologyPlacement: return event.kind == EventKind::kPodGroupChange;
  }
  return true;
}

}  // namespace

Hint queueing_hint(const HintContext& context, placement::Plugin plugin, const QueuedPod& pod,
                   const ClusterEvent& event) {
  return may_help(context, plugin, pod, event) ? Hint::kQueue : Hint::kSkip;
}

}  // namespace dray::scheduler
