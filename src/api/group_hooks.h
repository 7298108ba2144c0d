/// The tables of the kinds in this folder; resource_hooks.h and scheduling_hooks.h have theirs.
#pragma once

#include <span>

#include "api/hooks.h"

namespace dray::api {

[[nodiscard]] std::span<const KindHooks> pod_hooks();          // Pod, PodTemplate
[[nodiscard]] std::span<const KindHooks> node_hooks();         // Node, Namespace
[[nodiscard]] std::span<const KindHooks> config_hooks();       // ConfigMap, Secret, ServiceAccount
[[nodiscard]] std::span<const KindHooks> quota_hooks();        // ResourceQuota, LimitRange
[[nodiscard]] std::span<const KindHooks> volume_hooks();       // PersistentVolume(Claim)
[[nodiscard]] std::span<const KindHooks> event_hooks();        // of both groups
[[nodiscard]] std::span<const KindHooks> service_hooks();      // Service, Endpoints, EndpointSlice
[[nodiscard]] std::span<const KindHooks> apps_hooks();         // and ReplicationController
[[nodiscard]] std::span<const KindHooks> batch_hooks();        // Job, CronJob
[[nodiscard]] std::span<const KindHooks> autoscaling_hooks();  // HorizontalPodAutoscaler
[[nodiscard]] std::span<const KindHooks> networking_hooks();   // Ingress, NetworkPolicy, ...
[[nodiscard]] std::span<const KindHooks> rbac_hooks();         // roles and bindings
[[nodiscard]] std::span<const KindHooks> storage_hooks();      // StorageClass, CSI, ...
[[nodiscard]] std::span<const KindHooks> admission_hooks();    // webhooks and policies
[[nodiscard]] std::span<const KindHooks> small_group_hooks();  // Lease, PriorityClass, PDB, RuntimeClass

}  // namespace dray::api
