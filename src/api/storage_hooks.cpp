/// storage.k8s.io.
#include "api/core_defaults.h"
#include "api/feature_gates.h"
#include "api/gated_fields.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/status_metadata.h"
#include "api/storage_v1.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

void default_class(Object& object) {
  auto& storage_class = cast<storage::StorageClass>(object);
  default_to(storage_class.reclaim_policy, std::string("Delete"));
  default_to(storage_class.volume_binding_mode, std::string("Immediate"));
}

void default_driver(Object& object) {
  auto& spec = cast<storage::CSIDriver>(object).spec;
  default_to(spec.attach_required, true);
  default_to(spec.pod_info_on_mount, false);
  default_to(spec.storage_capacity, false);
  default_to(spec.fs_group_policy, std::string("ReadWriteOnceWithFSType"));
  if (spec.volume_lifecycle_modes.empty()) spec.volume_lifecycle_modes = {"Persistent"};
  default_to(spec.requires_republish, false);
  default_to(spec.se_linux_mount, false);
  default_to(spec.prevent_pod_scheduling_if_missing, false);
}

constexpr GatedField kDriverFields[] = {
    {"SELinuxMountReadWriteOncePod", "seLinuxMount"},
    {"MutableCSINodeAllocatableCount", "nodeAllocatableUpdatePeriodSeconds"},
    {"CSIServiceAccountTokenSecrets", "serviceAccountTokenInSecrets"},
    {"VolumeLimitScaling", "preventPodSchedulingIfMissing"},
};

void prepare_driver(const HookContext& context, Object& object) {
  drop_gated<storage::CSIDriverSpec>(context.gates, kDriverFields, cast<storage::CSIDriver>(object).spec, nullptr);
}

/// Its generation counts from zero: a create does not set it.
void prepare_driver_update(const HookContext& context, Object& object, const Object& stored) {
  auto& driver = cast<storage::CSIDriver>(object);
  const auto& old = cast<storage::CSIDriver>(stored);
  drop_gated(context.gates, kDriverFields, driver.spec, &old.spec);
  if (!equal(driver.spec, old.spec)) driver.metadata.generation = old.metadata.generation + 1;
}

template <class T>
void keep_spec_and_metadata(const HookContext&, Object& object, const Object& old) {
  cast<T>(object).spec = cast<T>(old).spec;
  reset_metadata_for_status(object.metadata, old.metadata);
}

}  // namespace

std::span<const KindHooks> storage_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &storage::StorageClass::kDescriptor, .hooks = {.set_defaults = default_class,
                 .validate_create = validate_storage_class_create,
                 .validate_update = validate_storage_class_update,
                 .row = storage_class_row},
       .columns = kStorageClassColumns},
      {.stored = &storage::CSIDriver::kDescriptor,
       .hooks = {.set_defaults = default_driver,
                 .prepare_create = prepare_driver,
                 .prepare_update = prepare_driver_update,
                 .validate_create = validate_csi_driver_create,
                 .validate_update = validate_csi_driver_update,
                 .row = csi_driver_row},
       .columns = kCsiDriverColumns,
       .unconditional_update = false},
      {.stored = &storage::CSINode::kDescriptor,
       .hooks = {.prepare_create = reset_status<storage::CSINode>,
                 .prepare_update = keep_status<storage::CSINode>,
                 .prepare_status = keep_spec_and_metadata<storage::CSINode>,
                 .validate_create = validate_csi_node_create,
                 .validate_update = validate_csi_node_update,
                 .row = csi_node_row},
       .columns = kCsiNodeColumns,
       .unconditional_update = false},
      {.stored = &storage::VolumeAttachment::kDescriptor,
       .hooks = {.prepare_create = reset_status<storage::VolumeAttachment>,
                 .prepare_update = keep_status<storage::VolumeAttachment>,
                 .prepare_status = keep_spec_and_metadata<storage::VolumeAttachment>,
                 .validate_create = validate_volume_attachment_create,
                 .validate_update = validate_volume_attachment_update,
                 .row = attachment_row},
       .columns = kAttachmentColumns,
       .unconditional_update = false},
      {.stored = &storage::CSIStorageCapacity::kDescriptor,
       .hooks = {.validate_create = validate_storage_capacity_create,
                 .validate_update = validate_storage_capacity_update,
                 .row = storage_capacity_row},
       .columns = kStorageCapacityColumns,
       .unconditional_update = false},
      {.stored = &storage::VolumeAttributesClass::kDescriptor,
       .hooks = {.row = attributes_class_row},
       .columns = kAttributesClassColumns},
  };
  return kHooks;
}

}  // namespace dray::api
