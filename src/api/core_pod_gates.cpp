#include <algorithm>

#include "api/core_pod.h"
#include "api/gated_fields.h"

namespace dray::api {
namespace {

/// The fields of a pod's spec that a gate of 1.37 can switch. Gates that are locked on are left out.
constexpr GatedField kSpecFields[] = {
    {"SupplementalGroupsPolicy", "securityContext.supplementalGroupsPolicy"},
    {"PodLevelResources", "resources"},
    {"MatchLabelKeysInPodTopologySpread", "topologySpreadConstraints.matchLabelKeys"},
    {"ClusterTrustBundleProjection", "volumes.projected.sources.clusterTrustBundle"},
    {"PodCertificateRequest", "volumes.projected.sources.podCertificate"},
    {"AtomicWriteVolumeUserFields", "volumes.secret.defaultUser"},
    {"AtomicWriteVolumeUserFields", "volumes.secret.items.user"},
    {"AtomicWriteVolumeUserFields", "volumes.configMap.defaultUser"},
    {"AtomicWriteVolumeUserFields", "volumes.configMap.items.user"},
    {"AtomicWriteVolumeUserFields", "volumes.downwardAPI.defaultUser"},
    {"AtomicWriteVolumeUserFields", "volumes.downwardAPI.items.user"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.defaultUser"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.sources.secret.items.user"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.sources.configMap.items.user"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.sources.downwardAPI.items.user"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.sources.serviceAccountToken.user"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.sources.clusterTrustBundle.user"},
    {"AtomicWriteVolumeUserFields", "volumes.projected.sources.podCertificate.user"},
    {"GenericWorkload", "schedulingGroup"},
    {"GRPCContainerProbeTLS", "containers.livenessProbe.grpc.mode"},
    {"GRPCContainerProbeTLS", "containers.readinessProbe.grpc.mode"},
    {"GRPCContainerProbeTLS", "containers.startupProbe.grpc.mode"},
    {"GRPCContainerProbeTLS", "initContainers.livenessProbe.grpc.mode"},
    {"GRPCContainerProbeTLS", "initContainers.readinessProbe.grpc.mode"},
    {"GRPCContainerProbeTLS", "initContainers.startupProbe.grpc.mode"},
    {"EvictionRequestAPI", "evictionResponders"},
    {"ContainerRestartRules", "containers.restartPolicy"},
    {"ContainerRestartRules", "containers.restartPolicyRules"},
    {"ContainerRestartRules", "initContainers.restartPolicyRules"},
    {"RecursiveReadOnlyMounts", "containers.volumeMounts.recursiveReadOnly"},
    {"RecursiveReadOnlyMounts", "initContainers.volumeMounts.recursiveReadOnly"},
    {"RecursiveReadOnlyMounts", "ephemeralContainers.volumeMounts.recursiveReadOnly"},
    {"EmptyDirVolumeMode", "volumes.emptyDir.mode"},
    {"VolumeBindMountOptions", "containers.volumeMounts.bindMountOptions"},
    {"VolumeBindMountOptions", "initContainers.volumeMounts.bindMountOptions"},
    {"VolumeBindMountOptions", "ephemeralContainers.volumeMounts.bindMountOptions"},
    {"HostnameOverride", "hostnameOverride"},
    {"EnvFiles", "containers.env.valueFrom.fileKeyRef"},
    {"EnvFiles", "initContainers.env.valueFrom.fileKeyRef"},
    {"EnvFiles", "ephemeralContainers.env.valueFrom.fileKeyRef"},
    {"SELinuxChangePolicy", "securityContext.seLinuxChangePolicy"},
    {"ContainerStopSignals", "containers.lifecycle.stopSignal"},
    {"ContainerStopSignals", "initContainers.lifecycle.stopSignal"},
    {"H2CContainerProbe", "containers.livenessProbe.httpGet.protocol"},
    {"H2CContainerProbe", "containers.readinessProbe.httpGet.protocol"},
    {"H2CContainerProbe", "containers.startupProbe.httpGet.protocol"},
    {"H2CContainerProbe", "containers.lifecycle.postStart.httpGet.protocol"},
    {"H2CContainerProbe", "containers.lifecycle.preStop.httpGet.protocol"},
    {"H2CContainerProbe", "initContainers.livenessProbe.httpGet.protocol"},
    {"H2CContainerProbe", "initContainers.readinessProbe.httpGet.protocol"},
    {"H2CContainerProbe", "initContainers.startupProbe.httpGet.protocol"},
    {"H2CContainerProbe", "initContainers.lifecycle.postStart.httpGet.protocol"},
    {"H2CContainerProbe", "initContainers.lifecycle.preStop.httpGet.protocol"},
};

constexpr GatedField kStatusFields[] = {
    {"InPlacePodLevelResourcesVerticalScaling", "resources"},
    {"InPlacePodLevelResourcesVerticalScaling", "allocatedResources"},
    {"ResourceHealthStatus", "containerStatuses.allocatedResourcesStatus"},
    {"ResourceHealthStatus", "initContainerStatuses.allocatedResourcesStatus"},
    {"ResourceHealthStatus", "ephemeralContainerStatuses.allocatedResourcesStatus"},
    {"ResourceHealthStatusMessage", "containerStatuses.allocatedResourcesStatus.resources.message"},
    {"ResourceHealthStatusMessage", "initContainerStatuses.allocatedResourcesStatus.resources.message"},
    {"SupplementalGroupsPolicy", "containerStatuses.user"},
    {"SupplementalGroupsPolicy", "initContainerStatuses.user"},
    {"PodObservedGenerationTracking", "observedGeneration"},
    {"PodObservedGenerationTracking", "conditions.observedGeneration"},
    {"DRANodeAllocatableResources", "nodeAllocatableResourceClaimStatuses"},
    {"CSIVolumeHealth", "volumeHealth"},
};

/// With the gate off a given procMount becomes the default one and does not vanish.
void reset_proc_mount(std::vector<core::Container>& containers) {
  for (core::Container& container : containers)
    if (container.security_context && container.security_context->proc_mount)
      container.security_context->proc_mount = "Default";
}

bool uses_proc_mount(const core::PodSpec& spec) {
  for (const auto* list : {&spec.containers, &spec.init_containers})
    for (const core::Container& container : *list)
      if (container.security_context && container.security_context->proc_mount) return true;
  return false;
}

void drop_image_volumes(core::PodSpec& spec) {
  std::vector<std::string> names;
  for (const core::Volume& volume : spec.volumes)
    if (volume.volume_source.image) names.push_back(volume.name);
  if (names.empty()) return;
  const auto gone = [&](const auto& item) { return std::ranges::find(names, item.name) != names.end(); };
  std::erase_if(spec.volumes, gone);
  for (auto* list : {&spec.containers, &spec.init_containers})
    for (core::Container& container : *list) std::erase_if(container.volume_mounts, gone);
}

bool uses_image_volumes(const core::PodSpec* spec) {
  return spec != nullptr && std::ranges::any_of(spec->volumes, [](const core::Volume& volume) {
           return static_cast<bool>(volume.volume_source.image);
         });
}

void forget_init_annotations(meta::ObjectMeta& metadata) {
  for (const char* name :
       {"pod.beta.kubernetes.io/init-containers", "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses", "pod.alpha.kubernetes.io/init-container-statuses"})
    metadata.annotations.erase(name);
}

}  // namespace

void drop_disabled_fields(const FeatureGates& gates, core::PodSpec& fresh, const core::PodSpec* old) {
  drop_gated<core::PodSpec>(gates, kSpecFields, fresh, old);
  if (!gates.enabled("ProcMountType") && (old == nullptr || !uses_proc_mount(*old))) {
    reset_proc_mount(fresh.containers);
    reset_proc_mount(fresh.init_containers);
  }
  if (!gates.enabled("ImageVolume") && !uses_image_volumes(old)) drop_image_volumes(fresh);
}

void drop_disabled_fields(const FeatureGates& gates, core::PodTemplateSpec& fresh,
                          const core::PodTemplateSpec* old) {
  drop_disabled_fields(gates, fresh.spec, old == nullptr ? nullptr : &old->spec);
  forget_init_annotations(fresh.metadata);
}

void drop_disabled_status_fields(const FeatureGates& gates, core::Pod& fresh, const core::Pod* old) {
  drop_gated<core::PodStatus>(gates, kStatusFields, fresh.status, old == nullptr ? nullptr : &old->status);
  forget_init_annotations(fresh.metadata);
}

}  // namespace dray::api
