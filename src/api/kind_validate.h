/// Hooks that validate the kinds that own no pods. Updates leave the metadata to whoever stores the
/// object.
/// Source: pkg/apis/*/validation of Kubernetes 1.37; texts, fields and order are its own. Pure.
#pragma once

#include "api/hooks.h"

namespace dray::api {

// core_node_validate.cpp
void validate_node_create(const HookContext& context, const Object& object, Causes& out);
void validate_node_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_namespace_create(const HookContext& context, const Object& object, Causes& out);
void validate_namespace_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// core_config_validate.cpp
void validate_config_map_create(const HookContext& context, const Object& object, Causes& out);
void validate_config_map_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_secret_create(const HookContext& context, const Object& object, Causes& out);
void validate_secret_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_service_account_create(const HookContext& context, const Object& object, Causes& out);

// core_quota_validate.cpp
void validate_quota_create(const HookContext& context, const Object& object, Causes& out);
void validate_quota_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_quota_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_limit_range_create(const HookContext& context, const Object& object, Causes& out);
void validate_limit_range_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// events_validate.cpp: by the version in which the request speaks
void validate_core_event_create(const HookContext& context, const Object& object, Causes& out);
void validate_core_event_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_event_create(const HookContext& context, const Object& object, Causes& out);
void validate_event_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// core_service_validate.cpp
void validate_service_create(const HookContext& context, const Object& object, Causes& out);
void validate_service_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// core_claim_validate.cpp
void validate_volume_create(const HookContext& context, const Object& object, Causes& out);
void validate_volume_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_volume_claim_create(const HookContext& context, const Object& object, Causes& out);
void validate_volume_claim_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// rbac_validate.cpp
void validate_role_create(const HookContext& context, const Object& object, Causes& out);
void validate_role_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_cluster_role_create(const HookContext& context, const Object& object, Causes& out);
void validate_cluster_role_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_role_binding_create(const HookContext& context, const Object& object, Causes& out);
void validate_role_binding_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_cluster_role_binding_create(const HookContext& context, const Object& object, Causes& out);
void validate_cluster_role_binding_update(const HookContext& context, const Object& fresh, const Object& old,
                                          Causes& out);

// autoscaling_validate.cpp
void validate_autoscaler_create(const HookContext& context, const Object& object, Causes& out);
void validate_autoscaler_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// small_validate.cpp
void validate_lease_create(const HookContext& context, const Object& object, Causes& out);
void validate_lease_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_disruption_budget_create(const HookContext& context, const Object& object, Causes& out);
void validate_disruption_budget_update(const HookContext& context, const Object& fresh, const Object& old,
                                       Causes& out);
void validate_disruption_budget_status(const HookContext& context, const Object& fresh, const Object& old,
                                       Causes& out);
void validate_runtime_class_create(const HookContext& context, const Object& object, Causes& out);
void validate_runtime_class_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_storage_class_create(const HookContext& context, const Object& object, Causes& out);
void validate_storage_class_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// networking_validate.cpp
void validate_network_policy_create(const HookContext& context, const Object& object, Causes& out);
void validate_network_policy_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_ingress_create(const HookContext& context, const Object& object, Causes& out);
void validate_ingress_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_ingress_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_ingress_class_create(const HookContext& context, const Object& object, Causes& out);
void validate_ingress_class_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// endpoints_validate.cpp
void validate_endpoints_create(const HookContext& context, const Object& object, Causes& out);
void validate_endpoints_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_endpoint_slice_create(const HookContext& context, const Object& object, Causes& out);
void validate_endpoint_slice_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

// storage_validate.cpp
void validate_csi_driver_create(const HookContext& context, const Object& object, Causes& out);
void validate_csi_driver_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_csi_node_create(const HookContext& context, const Object& object, Causes& out);
void validate_csi_node_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_volume_attachment_create(const HookContext& context, const Object& object, Causes& out);
void validate_volume_attachment_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_storage_capacity_create(const HookContext& context, const Object& object, Causes& out);
void validate_storage_capacity_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

}  // namespace dray::api
