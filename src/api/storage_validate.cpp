/// The kinds of storage.k8s.io but StorageClass: drivers, their nodes, attachments, capacities.
#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/feature_gates.h"
#include "api/kind_validate.h"
#include "api/storage_v1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr std::size_t kDriverNameBytesMax = 63;
constexpr std::size_t kNodeIdBytesMax = 192;
constexpr std::int64_t kTokenSecondsMin = 600;
constexpr std::int64_t kTokenSecondsMax = std::int64_t{1} << 32;
constexpr std::int64_t kUpdatePeriodSecondsMin = 10;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void validate_driver_name(const std::string& name, const FieldPath& at, Causes& out) {
  if (name.empty()) return out.required(at);
  if (name.size() > kDriverNameBytesMax) out.too_long(at, kDriverNameBytesMax);
  out.invalid_each(at, name, check_dns1123_subdomain(lower(name)));
}

void validate_tokens(const std::vector<storage::TokenRequest>& requests, const FieldPath& at, Causes& out) {
  Names audiences;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [audience, seconds] = requests[i];
    const FieldPath here = at / i, expiration = here / "expirationSeconds";
    if (!audiences.insert(audience).second) {
      out.duplicate(here / "audience", audience);
      continue;
    }
    if (!seconds) continue;
    if (*seconds < kTokenSecondsMin)
      out.invalid(expiration, *seconds, "may not specify a duration less than 10 minutes");
    if (*seconds > kTokenSecondsMax)
      out.invalid(expiration, *seconds, "may not specify a duration larger than 2^32 seconds");
  }
}

void validate_driver(const storage::CSIDriverSpec& spec, const FeatureGates& gates, Causes& out) {
  const FieldPath at("spec");
  if (!spec.attach_required) out.required(at / "attachedRequired");
  if (!spec.pod_info_on_mount) out.required(at / "podInfoOnMount");
  if (!spec.storage_capacity) out.required(at / "storageCapacity");
  const auto& policy = spec.fs_group_policy;
  if (policy && *policy != "ReadWriteOnceWithFSType" && *policy != "File" && *policy != "None")
    out.not_supported(at / "fsGroupPolicy", *policy, {"File", "None", "ReadWriteOnceWithFSType"});
  validate_tokens(spec.token_requests, at / "tokenRequests", out);
  for (const std::string& mode : spec.volume_lifecycle_modes)
    if (mode != "Persistent" && mode != "Ephemeral")
      out.not_supported(at / "volumeLifecycleModes", mode, {"Persistent", "Ephemeral"});
  if (!spec.se_linux_mount && gates.enabled("SELinuxMountReadWriteOncePod")) out.required(at / "seLinuxMount");
  const auto& period = spec.node_allocatable_update_period_seconds;
  if (period && *period < kUpdatePeriodSecondsMin)
    out.invalid(at / "nodeAllocatableUpdatePeriodSeconds", *period, "must be greater than or equal to 10 seconds");
  if (spec.service_account_token_in_secrets && spec.token_requests.empty())
    out.invalid(at / "serviceAccountTokenInSecrets", *spec.service_account_token_in_secrets,
                "serviceAccountTokenInSecrets is set but no tokenRequests are specified");
  if (!spec.prevent_pod_scheduling_if_missing && gates.enabled("VolumeLimitScaling"))
    out.required(at / "preventPodSchedulingIfMissing");
}

void validate_drivers(const storage::CSINodeSpec& spec, Causes& out) {
  const FieldPath at("spec"), list = at / "drivers";
  Names names;
  for (std::size_t i = 0; i < spec.drivers.size(); ++i) {
    const auto& driver = spec.drivers[i];
    const FieldPath here = list / i, id = here / "nodeID";
    validate_driver_name(driver.name, here / "name", out);
    if (driver.node_id.empty()) out.required(id);
    if (driver.node_id.size() > kNodeIdBytesMax)
      out.invalid(id, driver.node_id, fmt::format("must be {} characters or less", kNodeIdBytesMax));
    if (driver.allocatable && driver.allocatable->count)
      validate_nonnegative(*driver.allocatable->count, here / "allocatable" / "count", out);
    if (!names.insert(driver.name).second) out.duplicate(here / "name", driver.name);
    Names keys;
    for (const std::string& key : driver.topology_keys) {
      if (key.empty()) out.required(here);
      if (!keys.insert(key).second) out.duplicate(here, key);
      validate_qualified_name(key, here, out);
    }
  }
}

void validate_attachment(const storage::VolumeAttachmentSpec& spec, Causes& out) {
  const FieldPath at("spec"), source = at / "source";
  constexpr std::string_view kExactlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  validate_driver_name(spec.attacher, at / "attacher", out);
  const auto& name = spec.source.persistent_volume_name;
  if (!name && !spec.source.inline_volume_spec) {
    out.required(source, kExactlyOne);
  } else if (name && spec.source.inline_volume_spec) {
    out.forbidden(source, kExactlyOne);
  } else if (name && name->empty()) {
    out.required(source / "persistentVolumeName", "must specify non empty persistentVolumeName");
  }
  validate_name(check_name_is_subdomain, spec.node_name, at / "nodeName", out);
  if (name) validate_name(check_name_is_subdomain, *name, source / "persistentVolumeName", out);
}

}  // namespace

void validate_csi_driver_create(const HookContext& context, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_driver(cast<storage::CSIDriver>(object).spec, context.gates, out);
}

void validate_csi_driver_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<storage::CSIDriver>(fresh).spec;
  const auto& stored = cast<storage::CSIDriver>(old).spec;
  const FieldPath at("spec");
  validate_driver(spec, context.gates, out);
  out.immutable(at / "attachedRequired", spec.attach_required, stored.attach_required);
  out.immutable(at / "volumeLifecycleModes", spec.volume_lifecycle_modes, stored.volume_lifecycle_modes);
}

void validate_csi_node_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_drivers(cast<storage::CSINode>(object).spec, out);
}

void validate_csi_node_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<storage::CSINode>(fresh).spec;
  validate_drivers(spec, out);
  const FieldPath at("spec"), list = at / "drivers";
  for (storage::CSINodeDriver before : cast<storage::CSINode>(old).spec.drivers) {
    for (const storage::CSINodeDriver& after : spec.drivers) {
      if (before.name != after.name) continue;
      if (context.gates.enabled("MutableCSINodeAllocatableCount")) before.allocatable = after.allocatable;
      if (!equal(before, after)) out.invalid(list, bad_struct(after), Causes::kFieldImmutable);
    }
  }
}

void validate_volume_attachment_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_attachment(cast<storage::VolumeAttachment>(object).spec, out);
}

void validate_volume_attachment_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<storage::VolumeAttachment>(fresh).spec;
  validate_attachment(spec, out);
  if (!equal(spec, cast<storage::VolumeAttachment>(old).spec))
    out.invalid(FieldPath("spec"), bad_struct(spec), Causes::kFieldImmutable);
}

void validate_storage_capacity_create(const HookContext&, const Object& object, Causes& out) {
  const auto& capacity = cast<storage::CSIStorageCapacity>(object);
  validate_object_metadata(capacity.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  if (capacity.node_topology) validate_label_selector(*capacity.node_topology, FieldPath("nodeTopology"), out);
  validate_name(check_name_is_subdomain, capacity.storage_class_name, FieldPath("storageClassName"), out);
  if (capacity.capacity && capacity.capacity->sign() < 0)
    out.invalid(FieldPath("capacity"), capacity.capacity->str(), kNegative);
}

void validate_storage_capacity_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& capacity = cast<storage::CSIStorageCapacity>(fresh);
  const auto& stored = cast<storage::CSIStorageCapacity>(old);
  const auto same = [&] {
    if (!capacity.node_topology || !stored.node_topology) return !capacity.node_topology == !stored.node_topology;
    return equal(*capacity.node_topology, *stored.node_topology);
  };
  if (!same())
    out.invalid(FieldPath("nodeTopology"),
                capacity.node_topology ? bad_struct(*capacity.node_topology) : BadValue::raw("null"),
                Causes::kFieldImmutable);
  out.immutable(FieldPath("storageClassName"), capacity.storage_class_name, stored.storage_class_name);
}

}  // namespace dray::api
