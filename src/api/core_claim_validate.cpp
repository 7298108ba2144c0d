/// PersistentVolumes and their claims.
#include <algorithm>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/feature_gates.h"
#include "api/internal_text.h"
#include "api/kind_validate.h"
#include "api/line_difference.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

void validate_access_modes(const std::vector<std::string>& modes, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                                "ReadWriteOncePod"};
  bool once = false, others = false;
  for (const std::string& mode : modes) {
    const bool known = std::ranges::find(kModes, mode) != std::end(kModes);
    if (!known) out.not_supported(at, mode, kModes);
    once = once || mode == "ReadWriteOncePod";
    others = others || (known && mode != "ReadWriteOncePod");
  }
  if (once && others) out.forbidden(at, "may not use ReadWriteOncePod with other access modes");
}

void validate_volume_mode(const std::optional<std::string>& mode, const FieldPath& at, Causes& out) {
  if (mode && *mode != "Block" && *mode != "Filesystem") out.not_supported(at, *mode, {"Block", "Filesystem"});
}

/// Of dataSource and dataSourceRef, which have the same members.
template <class Source>
void validate_source(const Source& source, const FieldPath& at, Causes& out) {
  const std::string group = source.api_group.value_or("");
  if (source.name.empty()) out.required(at / "name");
  if (source.kind.empty()) out.required(at / "kind");
  if (group.empty() && source.kind != "PersistentVolumeClaim")
    out.invalid(at, source.kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (!group.empty()) validate_dns1123_subdomain(group, at / "apiGroup", out);
}

void validate_capacity(const ResourceList& capacity, const FieldPath& at, Causes& out) {
  if (capacity.empty()) out.required(at);
  if (!capacity.contains("storage") || capacity.size() > 1) {
    Value shown = Value::map();
    for (const auto& [name, value] : capacity) shown.set(name, value.str());
    out.not_supported(at, capacity.empty() ? BadValue::raw("null") : BadValue(shown), {"storage"});
  }
  for (const auto& [name, value] : capacity) {
    if (value.sign() < 0) out.invalid(at[name], value.value(), "must be a valid resource quantity");
    if (value.sign() <= 0) out.invalid(at[name], value.str(), kNotPositive);
  }
}

void validate_volume_source(const core::PersistentVolumeSource& source, const FieldPath& at, Causes& out) {
  int count = 0;
  for (const FieldDescriptor& field : core::PersistentVolumeSource::kDescriptor.fields) {
    if (field.type->ops->size(field.in(&source)) == 0) continue;
    if (++count > 1) out.forbidden(at / field.name, "may not specify more than 1 volume type");
  }
  if (count == 0) out.required(at, "must specify a volume type");
  if (source.host_path) {
    if (source.host_path->path.empty()) out.required(at / "hostPath" / "path");
    validate_no_backsteps(source.host_path->path, at / "hostPath" / "path", out);
  }
  if (source.local && source.local->path.empty()) out.required(at / "local" / "path");
}

void validate_volume(const core::PersistentVolume& volume, Causes& out) {
  const FieldPath at("spec");
  const auto& spec = volume.spec;
  if (spec.access_modes.empty()) out.required(at / "accessModes");
  validate_access_modes(spec.access_modes, at / "accessModes", out);
  validate_capacity(spec.capacity, at / "capacity", out);
  const std::string& policy = spec.persistent_volume_reclaim_policy;
  if (!policy.empty() && policy != "Delete" && policy != "Recycle" && policy != "Retain")
    out.not_supported(at / "persistentVolumeReclaimPolicy", policy, {"Delete", "Recycle", "Retain"});
  const bool placed = spec.node_affinity && spec.node_affinity->required;
  if (placed) validate_node_selector(*spec.node_affinity->required, at / "nodeAffinity" / "required", out);
  if (spec.node_affinity && !placed)
    out.required(at / "nodeAffinity" / "required", "must specify required node constraints");
  validate_volume_source(spec.persistent_volume_source, at, out);
  if (spec.persistent_volume_source.local && !placed)
    out.required(at / "nodeAffinity", "Local volume requires node affinity");
  if (!spec.storage_class_name.empty())
    validate_name(check_name_is_subdomain, spec.storage_class_name, at / "storageClassName", out);
  validate_volume_mode(spec.volume_mode, at / "volumeMode", out);
}

}  // namespace

void validate_claim_spec(const core::PersistentVolumeClaimSpec& spec, const FieldPath& at, Causes& out) {
  if (spec.access_modes.empty()) out.required(at / "accessModes", "at least 1 access mode is required");
  if (spec.selector) validate_label_selector(*spec.selector, at / "selector", out);
  validate_access_modes(spec.access_modes, at / "accessModes", out);
  const FieldPath resources = at / "resources", storage_at = resources["storage"];
  const auto storage = spec.resources.requests.find("storage");
  if (storage == spec.resources.requests.end()) {
    out.required(storage_at);
  } else if (storage->second.sign() <= 0) {
    out.invalid(storage_at, storage->second.str(), kNotPositive);
  }
  if (spec.storage_class_name && !spec.storage_class_name->empty())
    validate_name(check_name_is_subdomain, *spec.storage_class_name, at / "storageClassName", out);
  validate_volume_mode(spec.volume_mode, at / "volumeMode", out);
  if (spec.data_source) validate_source(*spec.data_source, at / "dataSource", out);
  if (spec.data_source_ref) validate_source(*spec.data_source_ref, at / "dataSourceRef", out);
  if (spec.data_source && spec.data_source_ref) {
    const FieldPath source_at = at / "dataSource";
    const BadValue shown(source_at.str());
    const auto& source = *spec.data_source;
    const auto& reference = *spec.data_source_ref;
    if (reference.namespace_ && !reference.namespace_->empty()) {
      out.invalid(at, shown, "may not be specified when dataSourceRef.namespace is specified");
    } else if (source.name != reference.name || source.kind != reference.kind ||
               source.api_group.value_or("") != reference.api_group.value_or("")) {
      out.invalid(at, shown, "must match dataSourceRef");
    }
  }
  if (spec.volume_attributes_class_name && !spec.volume_attributes_class_name->empty())
    validate_name(check_name_is_subdomain, *spec.volume_attributes_class_name, at / "volumeAttributesClassName", out);
}

void validate_volume_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_volume(cast<core::PersistentVolume>(object), out);
}

void validate_volume_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::PersistentVolume>(object);
  const auto& old = cast<core::PersistentVolume>(stored);
  validate_volume(fresh, out);
  const auto& now = fresh.spec.persistent_volume_source;
  const auto& before = old.spec.persistent_volume_source;
  if (!equal(now, before))
    out.forbidden(FieldPath("spec.persistentvolumesource"),
                  fmt::format("spec.persistentvolumesource is immutable after creation\n{}",
                              line_difference(internal_value_of(before), internal_value_of(now))));
  out.immutable(FieldPath("volumeMode"), fresh.spec.volume_mode, old.spec.volume_mode);
}

void validate_volume_claim_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_claim_spec(cast<core::PersistentVolumeClaim>(object).spec, FieldPath("spec"), out);
}

void validate_volume_claim_update(const HookContext& context, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::PersistentVolumeClaim>(object);
  const auto& old = cast<core::PersistentVolumeClaim>(stored);
  const FieldPath at("spec"), storage_at = at / "resources" / "requests" / "storage";
  validate_claim_spec(fresh.spec, at, out);
  core::PersistentVolumeClaimSpec spec = fresh.spec;
  if (old.spec.volume_name.empty()) spec.volume_name = old.spec.volume_name;
  if (!old.spec.storage_class_name) spec.storage_class_name = old.spec.storage_class_name;
  if (fresh.status.phase == "Bound") {
    spec.resources.requests = old.spec.resources.requests;
    spec.volume_attributes_class_name = old.spec.volume_attributes_class_name;
  }
  if (!equal(spec, old.spec))
    out.forbidden(at, fmt::format("spec is immutable after creation except resources.requests and "
                                  "volumeAttributesClassName for bound claims\n{}",
                                  line_difference(internal_value_of(old.spec), internal_value_of(spec))));
  const auto size_of = [](const ResourceList& list) {
    const auto found = list.find("storage");
    return found == list.end() ? Quantity() : found->second;
  };
  const Quantity size = size_of(fresh.spec.resources.requests);
  if (size < size_of(old.spec.resources.requests)) {
    if (!context.gates.enabled("RecoverVolumeExpansionFailure")) {
      out.forbidden(storage_at, "field can not be less than previous value");
    } else if (size <= size_of(old.status.capacity)) {
      out.forbidden(storage_at, "field can not be less than status.capacity");
    }
  }
  out.immutable(FieldPath("volumeMode"), fresh.spec.volume_mode, old.spec.volume_mode);
}

}  // namespace dray::api
