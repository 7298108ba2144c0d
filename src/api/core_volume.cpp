/// PersistentVolume and PersistentVolumeClaim.
#include "api/core_defaults.h"
#include "api/feature_gates.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

void default_source(core::PersistentVolumeSource& source) {
  if (source.host_path) default_to(source.host_path->type, std::string());
  if (source.rbd) {
    default_to(source.rbd->pool, "rbd");
    default_to(source.rbd->user, "admin");
    default_to(source.rbd->keyring, "/etc/ceph/keyring");
  }
  if (source.iscsi) default_to(source.iscsi->iscsi_interface, "default");
  if (source.azure_disk) default_azure_disk(*source.azure_disk);
  if (source.scale_io) {
    default_to(source.scale_io->storage_mode, "ThinProvisioned");
    default_to(source.scale_io->fs_type, "xfs");
  }
}

void default_volume(Object& object) {
  auto& volume = cast<core::PersistentVolume>(object);
  default_to(volume.status.phase, "Pending");
  default_to(volume.spec.persistent_volume_reclaim_policy, "Retain");
  default_to(volume.spec.volume_mode, std::string("Filesystem"));
  default_resources(volume.spec.capacity);
  default_source(volume.spec.persistent_volume_source);
}

void prepare_volume(const HookContext& context, Object& object) {
  auto& status = cast<core::PersistentVolume>(object).status;
  status = {};
  status.phase = "Pending";
  status.last_phase_transition_time = Time::of(context.now.wall);
}

void prepare_volume_status(const HookContext& context, Object& object, const Object& stored) {
  auto& volume = cast<core::PersistentVolume>(object);
  const auto& old = cast<core::PersistentVolume>(stored);
  volume.spec = old.spec;
  auto& time = volume.status.last_phase_transition_time;
  const auto& before = old.status.last_phase_transition_time;
  if (volume.status.phase == old.status.phase) {
    if (!time) time = before;
  } else if (!time || time == before) {
    time = Time::of(context.now.wall);
  }
}

void default_persistent_claim(Object& object) { default_claim(cast<core::PersistentVolumeClaim>(object)); }

/// dataSource and dataSourceRef say the same where either can.
void normalize_sources(core::PersistentVolumeClaimSpec& spec) {
  auto& source = spec.data_source;
  auto& reference = spec.data_source_ref;
  if (source && !reference) {
    reference.emplace();
    reference->api_group = source->api_group;
    reference->kind = source->kind;
    reference->name = source->name;
  } else if (reference && !source && !reference->namespace_) {
    source.emplace();
    source->api_group = reference->api_group;
    source->kind = reference->kind;
    source->name = reference->name;
  }
}

/// A source of a kind that only dataSourceRef may name is forgotten.
void drop_unknown_source(core::PersistentVolumeClaimSpec& spec) {
  if (!spec.data_source) return;
  const std::string group = spec.data_source->api_group.value_or("");
  const std::string& kind = spec.data_source->kind;
  const bool claim = group.empty() && kind == "PersistentVolumeClaim";
  const bool snapshot = group == "snapshot.storage.k8s.io" && kind == "VolumeSnapshot";
  if (!claim && !snapshot && !spec.data_source_ref) spec.data_source.reset();
}

/// A reference into another namespace needs its gate.
void drop_foreign_source(const FeatureGates& gates, core::PersistentVolumeClaimSpec& spec,
                         const core::PersistentVolumeClaimSpec* old) {
  if (gates.enabled("CrossNamespaceVolumeDataSource")) return;
  if (old != nullptr && old->data_source_ref && old->data_source_ref->namespace_) return;
  if (spec.data_source_ref && spec.data_source_ref->namespace_ && !spec.data_source_ref->namespace_->empty())
    spec.data_source_ref.reset();
}

void prepare_claim(const HookContext& context, Object& object) {
  auto& claim = cast<core::PersistentVolumeClaim>(object);
  claim.status = {};
  claim.status.phase = "Pending";
  drop_foreign_source(context.gates, claim.spec, nullptr);
  drop_unknown_source(claim.spec);
  normalize_sources(claim.spec);
}

void prepare_claim_update(const HookContext& context, Object& object, const Object& stored) {
  auto& claim = cast<core::PersistentVolumeClaim>(object);
  const auto& old = cast<core::PersistentVolumeClaim>(stored);
  claim.status = old.status;
  drop_foreign_source(context.gates, claim.spec, &old.spec);
  normalize_sources(claim.spec);
}

constexpr std::string_view kFields[] = {"name"};

std::optional<std::string> name_field(const Object& object, std::string_view path) {
  if (path != "name") return std::nullopt;
  return object.metadata.name;
}

}  // namespace

std::span<const KindHooks> volume_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::PersistentVolume::kDescriptor,
       .hooks = {.set_defaults = default_volume,
                 .prepare_create = prepare_volume,
                 .prepare_update = keep_status<core::PersistentVolume>,
                 .prepare_status = prepare_volume_status,
                 .validate_create = validate_volume_create,
                 .validate_update = validate_volume_update,
                 .field = name_field,
                 .row = volume_row},
       .columns = kVolumeColumns,
       .selectable_fields = kFields},
      {.stored = &core::PersistentVolumeClaim::kDescriptor,
       .hooks = {.set_defaults = default_persistent_claim,
                 .prepare_create = prepare_claim,
                 .prepare_update = prepare_claim_update,
                 .prepare_status = keep_spec<core::PersistentVolumeClaim>,
                 .validate_create = validate_volume_claim_create,
                 .validate_update = validate_volume_claim_update,
                 .field = name_field,
                 .row = volume_claim_row},
       .columns = kVolumeClaimColumns,
       .selectable_fields = kFields},
  };
  return kHooks;
}

}  // namespace dray::api
