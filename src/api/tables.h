/// The tables that `kubectl get` shows: columns and rows of the built-in kinds. resource.k8s.io's and
/// scheduling.k8s.io's are in resource_table.h and scheduling_table.h.
/// Source: pkg/printers/internalversion/printers.go of Kubernetes 1.37. Pure.
#pragma once

#include "api/kind.h"

namespace dray::api {

inline constexpr Column kPodColumns[] = {
    {"Name", "string", "name"}, {"Ready"}, {"Status"}, {"Restarts"}, {"Age"},
    {"IP", "string", "", 1}, {"Node", "string", "", 1}, {"Nominated Node", "string", "", 1},
    {"Readiness Gates", "string", "", 1},
};
inline constexpr Column kPodTemplateColumns[] = {
    {"Name", "string", "name"}, {"Containers"}, {"Images"}, {"Pod Labels"},
};
inline constexpr Column kNodeColumns[] = {
    {"Name", "string", "name"}, {"Status"}, {"Roles"}, {"Age"}, {"Version"},
    {"Internal-IP", "string", "", 1}, {"External-IP", "string", "", 1},
    {"OS-Image", "string", "", 1}, {"Kernel-Version", "string", "", 1},
    {"Container-Runtime", "string", "", 1},
};
inline constexpr Column kNamespaceColumns[] = {{"Name", "string", "name"}, {"Status"}, {"Age"}};
inline constexpr Column kConfigMapColumns[] = {{"Name", "string", "name"}, {"Data"}, {"Age"}};
inline constexpr Column kSecretColumns[] = {
    {"Name", "string", "name"}, {"Type"}, {"Data"}, {"Age"},
};
inline constexpr Column kServiceAccountColumns[] = {{"Name", "string", "name"}, {"Age"}};
inline constexpr Column kResourceQuotaColumns[] = {
    {"Name", "string", "name"}, {"Request"}, {"Limit"}, {"Age"},
};
inline constexpr Column kVolumeColumns[] = {
    {"Name", "string", "name"}, {"Capacity"}, {"Access Modes"}, {"Reclaim Policy"}, {"Status"},
    {"Claim"}, {"StorageClass"}, {"VolumeAttributesClass"}, {"Reason"}, {"Age"},
    {"VolumeMode", "string", "", 1},
};
inline constexpr Column kVolumeClaimColumns[] = {
    {"Name", "string", "name"}, {"Status"}, {"Volume"}, {"Capacity"}, {"Access Modes"},
    {"StorageClass"}, {"VolumeAttributesClass"}, {"Age"}, {"VolumeMode", "string", "", 1},
};
inline constexpr Column kServiceColumns[] = {
    {"Name", "string", "name"}, {"Type"}, {"Cluster-IP"}, {"External-IP"}, {"Port(s)"}, {"Age"},
    {"Selector", "string", "", 1},
};
inline constexpr Column kEndpointsColumns[] = {{"Name", "string", "name"}, {"Endpoints"}, {"Age"}};
inline constexpr Column kEndpointSliceColumns[] = {
    {"Name", "string", "name"}, {"AddressType"}, {"Ports"}, {"Endpoints"}, {"Age"},
};
inline constexpr Column kDeploymentColumns[] = {
    {"Name", "string", "name"}, {"Ready"}, {"Up-to-date"}, {"Available"}, {"Age"},
    {"Containers", "string", "", 1}, {"Images", "string", "", 1}, {"Selector", "string", "", 1},
};
inline constexpr Column kReplicaSetColumns[] = {
    {"Name", "string", "name"}, {"Desired", "integer"}, {"Current", "integer"},
    {"Ready", "integer"}, {"Age"}, {"Containers", "string", "", 1}, {"Images", "string", "", 1},
    {"Selector", "string", "", 1},
};
inline constexpr Column kStatefulSetColumns[] = {
    {"Name", "string", "name"}, {"Ready"}, {"Age"}, {"Containers", "string", "", 1},
    {"Images", "string", "", 1},
};
inline constexpr Column kDaemonSetColumns[] = {
    {"Name", "string", "name"}, {"Desired", "integer"}, {"Current", "integer"},
    {"Ready", "integer"}, {"Up-to-date", "integer"}, {"Available", "integer"}, {"Node Selector"},
    {"Age"}, {"Containers", "string", "", 1}, {"Images", "string", "", 1},
    {"Selector", "string", "", 1},
};
inline constexpr Column kControllerRevisionColumns[] = {
    {"Name", "string", "name"}, {"Controller"}, {"Revision"}, {"Age"},
};
inline constexpr Column kJobColumns[] = {
    {"Name", "string", "name"}, {"Status"}, {"Completions"}, {"Duration"}, {"Age"},
    {"Containers", "string", "", 1}, {"Images", "string", "", 1}, {"Selector", "string", "", 1},
};
inline constexpr Column kCronJobColumns[] = {
    {"Name", "string", "name"}, {"Schedule"}, {"Timezone"}, {"Suspend", "boolean"},
    {"Active", "integer"}, {"Last Schedule"}, {"Age"}, {"Containers", "string", "", 1},
    {"Images", "string", "", 1}, {"Selector", "string", "", 1},
};
inline constexpr Column kAutoscalerColumns[] = {
    {"Name", "string", "name"}, {"Reference"}, {"Targets"}, {"MinPods"}, {"MaxPods"},
    {"Replicas"}, {"Age"},
};
inline constexpr Column kLeaseColumns[] = {{"Name", "string", "name"}, {"Holder"}, {"Age"}};
inline constexpr Column kDisruptionBudgetColumns[] = {
    {"Name", "string", "name"}, {"Min Available"}, {"Max Unavailable"},
    {"Allowed Disruptions", "integer"}, {"Age"},
};
inline constexpr Column kRuntimeClassColumns[] = {{"Name", "string", "name"}, {"Handler"}, {"Age"}};
inline constexpr Column kFlowSchemaColumns[] = {
    {"Name", "string", "name"}, {"PriorityLevel"}, {"MatchingPrecedence"},
    {"DistinguisherMethod"}, {"Age"}, {"MissingPL"},
};
inline constexpr Column kPriorityLevelColumns[] = {
    {"Name", "string", "name"}, {"Type"}, {"NominalConcurrencyShares"}, {"Queues"}, {"HandSize"},
    {"QueueLengthLimit"}, {"Age"},
};
inline constexpr Column kIngressColumns[] = {
    {"Name", "string", "name"}, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, {"Age"},
};
inline constexpr Column kIngressClassColumns[] = {
    {"Name", "string", "name"}, {"Controller"}, {"Parameters"}, {"Age"},
};
inline constexpr Column kNetworkPolicyColumns[] = {
    {"Name", "string", "name"}, {"Pod-Selector"}, {"Age"},
};
inline constexpr Column kServiceCidrColumns[] = {{"Name", "string", "name"}, {"CIDRs"}, {"Age"}};
inline constexpr Column kIpAddressColumns[] = {{"Name", "string", "name"}, {"ParentRef"}, {"Age"}};
inline constexpr Column kBindingColumns[] = {
    {"Name", "string", "name"}, {"Role"}, {"Age"}, {"Users", "string", "", 1},
    {"Groups", "string", "", 1}, {"ServiceAccounts", "string", "", 1},
};
inline constexpr Column kStorageClassColumns[] = {
    {"Name", "string", "name"}, {"Provisioner"}, {"ReclaimPolicy"}, {"VolumeBindingMode"},
    {"AllowVolumeExpansion"}, {"Age"},
};
inline constexpr Column kAttributesClassColumns[] = {
    {"Name", "string", "name"}, {"DriverName"}, {"Age"},
};
inline constexpr Column kAttachmentColumns[] = {
    {"Name", "string", "name"}, {"Attacher", "string", "name"}, {"PV"}, {"Node"},
    {"Attached", "boolean"}, {"Age"},
};
inline constexpr Column kCsiNodeColumns[] = {
    {"Name", "string", "name"}, {"Drivers", "integer"}, {"Age"},
};
inline constexpr Column kCsiDriverColumns[] = {
    {"Name", "string", "name"}, {"AttachRequired", "boolean"}, {"PodInfoOnMount", "boolean"},
    {"StorageCapacity", "boolean"}, {"TokenRequests"}, {"RequiresRepublish", "boolean"},
    {"Modes"}, {"Age"},
};
inline constexpr Column kStorageCapacityColumns[] = {
    {"Name", "string", "name"}, {"StorageClassName"}, {"Capacity"},
};
inline constexpr Column kWebhooksColumns[] = {
    {"Name", "string", "name"}, {"Webhooks", "integer"}, {"Age"},
};
inline constexpr Column kPolicyColumns[] = {
    {"Name", "string", "name"}, {"Validations", "integer"}, {"ParamKind"}, {"Age"},
};
inline constexpr Column kMutatingPolicyColumns[] = {
    {"Name", "string", "name"}, {"Mutations", "integer"}, {"ParamKind"}, {"Age"},
};
inline constexpr Column kPolicyBindingColumns[] = {
    {"Name", "string", "name"}, {"PolicyName"}, {"ParamRef"}, {"Age"},
};
inline constexpr Column kEventColumns[] = {
    {"Last Seen"}, {"Type"}, {"Reason"}, {"Object"}, {"Subobject", "string", "", 1},
    {"Source", "string", "", 1}, {"Message"}, {"First Seen", "string", "", 1},
    {"Count", "string", "", 1}, {"Name", "string", "name", 1},
};
/// Of kinds that Kubernetes has no table for.
inline constexpr Column kCreatedColumns[] = {{"Name", "string", "name"}, {"Created At", "date"}};

// One row each, in the order of the columns.
[[nodiscard]] Value::List pod_row(const Object& object, Now now);
[[nodiscard]] Value::List pod_template_row(const Object& object, Now now);
[[nodiscard]] Value::List node_row(const Object& object, Now now);
[[nodiscard]] Value::List namespace_row(const Object& object, Now now);
[[nodiscard]] Value::List config_map_row(const Object& object, Now now);
[[nodiscard]] Value::List secret_row(const Object& object, Now now);
[[nodiscard]] Value::List service_account_row(const Object& object, Now now);
[[nodiscard]] Value::List resource_quota_row(const Object& object, Now now);
[[nodiscard]] Value::List volume_row(const Object& object, Now now);
[[nodiscard]] Value::List volume_claim_row(const Object& object, Now now);
[[nodiscard]] Value::List service_row(const Object& object, Now now);
[[nodiscard]] Value::List endpoints_row(const Object& object, Now now);
[[nodiscard]] Value::List endpoint_slice_row(const Object& object, Now now);
[[nodiscard]] Value::List deployment_row(const Object& object, Now now);
[[nodiscard]] Value::List replica_set_row(const Object& object, Now now);
[[nodiscard]] Value::List stateful_set_row(const Object& object, Now now);
[[nodiscard]] Value::List daemon_set_row(const Object& object, Now now);
[[nodiscard]] Value::List controller_revision_row(const Object& object, Now now);
[[nodiscard]] Value::List job_row(const Object& object, Now now);
[[nodiscard]] Value::List cron_job_row(const Object& object, Now now);
[[nodiscard]] Value::List autoscaler_row(const Object& object, Now now);
[[nodiscard]] Value::List lease_row(const Object& object, Now now);
[[nodiscard]] Value::List disruption_budget_row(const Object& object, Now now);
[[nodiscard]] Value::List runtime_class_row(const Object& object, Now now);
[[nodiscard]] Value::List flow_schema_row(const Object& object, Now now);
[[nodiscard]] Value::List priority_level_row(const Object& object, Now now);
[[nodiscard]] Value::List ingress_row(const Object& object, Now now);
[[nodiscard]] Value::List ingress_class_row(const Object& object, Now now);
[[nodiscard]] Value::List network_policy_row(const Object& object, Now now);
[[nodiscard]] Value::List service_cidr_row(const Object& object, Now now);
[[nodiscard]] Value::List ip_address_row(const Object& object, Now now);
[[nodiscard]] Value::List storage_class_row(const Object& object, Now now);
[[nodiscard]] Value::List attributes_class_row(const Object& object, Now now);
[[nodiscard]] Value::List attachment_row(const Object& object, Now now);
[[nodiscard]] Value::List csi_node_row(const Object& object, Now now);
[[nodiscard]] Value::List csi_driver_row(const Object& object, Now now);
[[nodiscard]] Value::List storage_capacity_row(const Object& object, Now now);
[[nodiscard]] Value::List event_row(const Object& object, Now now);
[[nodiscard]] Value::List created_row(const Object& object, Now now);
[[nodiscard]] Value::List role_binding_row(const Object& object, Now now);
[[nodiscard]] Value::List cluster_role_binding_row(const Object& object, Now now);
[[nodiscard]] Value::List validating_webhooks_row(const Object& object, Now now);
[[nodiscard]] Value::List mutating_webhooks_row(const Object& object, Now now);
[[nodiscard]] Value::List validating_policy_row(const Object& object, Now now);
[[nodiscard]] Value::List mutating_policy_row(const Object& object, Now now);
[[nodiscard]] Value::List validating_policy_binding_row(const Object& object, Now now);
[[nodiscard]] Value::List mutating_policy_binding_row(const Object& object, Now now);
[[nodiscard]] Value::List replication_controller_row(const Object& object, Now now);

}  // namespace dray::api
