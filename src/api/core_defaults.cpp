#include "api/core_defaults.h"

namespace dray::api {
namespace {

constexpr int kMilli = -3;
constexpr std::int32_t kVolumeMode = 0644;
constexpr std::int64_t kTokenExpirationSeconds = 3600;

std::string pull_policy(std::string_view image) {
  return image_tag(image) == "latest" ? "Always" : "IfNotPresent";
}

void default_field_ref(Box<core::ObjectFieldSelector>& field) {
  if (field) default_to(field->api_version, "v1");
}

void default_env(std::vector<core::EnvVar>& env) {
  for (core::EnvVar& variable : env) {
    if (!variable.value_from) continue;
    default_field_ref(variable.value_from->field_ref);
    if (auto& file = variable.value_from->file_key_ref) default_to(file->optional, false);
  }
}

void default_http_get(Box<core::HTTPGetAction>& get) {
  if (!get) return;
  default_to(get->path, "/");
  default_to(get->scheme, "HTTP");
}

void default_probe(Box<core::Probe>& probe) {
  if (!probe) return;
  default_to(probe->timeout_seconds, 1);
  default_to(probe->period_seconds, 10);
  default_to(probe->success_threshold, 1);
  default_to(probe->failure_threshold, 3);
  default_http_get(probe->probe_handler.http_get);
  if (auto& grpc = probe->probe_handler.grpc) default_to(grpc->service, std::string());
}

/// A Container, or the same fields of an EphemeralContainer.
template <class C>
void default_container(C& container) {
  if (container.image_pull_policy.empty()) container.image_pull_policy = pull_policy(container.image);
  default_to(container.termination_message_path, "/dev/termination-log");
  default_to(container.termination_message_policy, "File");
  for (core::ContainerPort& port : container.ports) default_to(port.protocol, "TCP");
  default_env(container.env);
  default_resources(container.resources.limits);
  default_resources(container.resources.requests);
  default_probe(container.liveness_probe);
  default_probe(container.readiness_probe);
  default_probe(container.startup_probe);
  if (!container.lifecycle) return;
  if (auto& hook = container.lifecycle->post_start) default_http_get(hook->http_get);
  if (auto& hook = container.lifecycle->pre_stop) default_http_get(hook->http_get);
}

void default_downward_items(std::vector<core::DownwardAPIVolumeFile>& items) {
  for (auto& item : items) default_field_ref(item.field_ref);
}

void default_projected(core::ProjectedVolumeSource& projected) {
  default_to(projected.default_mode, kVolumeMode);
  for (core::VolumeProjection& source : projected.sources) {
    if (source.downward_api) default_downward_items(source.downward_api->items);
    if (auto& token = source.service_account_token)
      default_to(token->expiration_seconds, kTokenExpirationSeconds);
  }
}

void default_network_disks(core::VolumeSource& source) {
  if (source.iscsi) default_to(source.iscsi->iscsi_interface, "default");
  if (source.rbd) {
    default_to(source.rbd->pool, "rbd");
    default_to(source.rbd->user, "admin");
    default_to(source.rbd->keyring, "/etc/ceph/keyring");
  }
  if (source.azure_disk) default_azure_disk(*source.azure_disk);
  if (source.scale_io) {
    default_to(source.scale_io->storage_mode, "ThinProvisioned");
    default_to(source.scale_io->fs_type, "xfs");
  }
}

void default_volume(core::VolumeSource& source) {
  if (all_absent(source)) source.empty_dir.emplace();
  if (source.image && source.image->pull_policy.empty())
    source.image->pull_policy = pull_policy(source.image->reference);
  if (source.host_path) default_to(source.host_path->type, std::string());
  if (source.secret) default_to(source.secret->default_mode, kVolumeMode);
  if (source.config_map) default_to(source.config_map->default_mode, kVolumeMode);
  if (source.downward_api) {
    default_to(source.downward_api->default_mode, kVolumeMode);
    default_downward_items(source.downward_api->items);
  }
  if (source.projected) default_projected(*source.projected);
  default_network_disks(source);
  if (source.ephemeral && source.ephemeral->volume_claim_template)
    default_claim_spec(source.ephemeral->volume_claim_template->spec);
}

}  // namespace

bool all_absent(const StructDescriptor& descriptor, const void* value) {
  for (const FieldDescriptor& field : descriptor.fields)
    if (field.type->kind == TypeKind::kOptional && field.type->ops->size(field.in(value)) != 0) return false;
  return true;
}

void default_resources(ResourceList& resources) {
  for (auto& [name, quantity] : resources) quantity.round_up(kMilli);
}

void default_resources(Box<core::ResourceRequirements>& resources) {
  if (!resources) return;
  default_resources(resources->limits);
  default_resources(resources->requests);
}

void default_azure_disk(core::AzureDiskVolumeSource& disk) {
  default_to(disk.caching_mode, std::string("ReadWrite"));
  default_to(disk.fs_type, std::string("ext4"));
  default_to(disk.read_only, false);
  default_to(disk.kind, std::string("Shared"));
}

void default_claim_spec(core::PersistentVolumeClaimSpec& spec) {
  default_to(spec.volume_mode, std::string("Filesystem"));
  default_resources(spec.resources.limits);
  default_resources(spec.resources.requests);
}

void default_claim(core::PersistentVolumeClaim& claim) {
  default_to(claim.status.phase, "Pending");
  default_claim_spec(claim.spec);
  default_resources(claim.status.capacity);
  default_resources(claim.status.allocated_resources);
}

void default_pod_spec(core::PodSpec& spec) {
  default_to(spec.service_account_name, spec.service_account);
  spec.service_account = spec.service_account_name;
  default_to(spec.dns_policy, "ClusterFirst");
  default_to(spec.restart_policy, "Always");
  spec.security_context.ensure();
  default_to(spec.termination_grace_period_seconds, std::int64_t{30});
  default_to(spec.scheduler_name, "default-scheduler");
  for (core::Volume& volume : spec.volumes) default_volume(volume.volume_source);
  for (core::Container& container : spec.init_containers) default_container(container);
  for (core::Container& container : spec.containers) default_container(container);
  for (auto& container : spec.ephemeral_containers) default_container(container.ephemeral_container_common);
  default_resources(spec.overhead);
  default_resources(spec.resources);
}

}  // namespace dray::api
