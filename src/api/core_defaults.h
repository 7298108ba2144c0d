/// Kubernetes' defaults that several kinds share: pod specs and templates, claims, quantities.
/// Source: pkg/apis/core/v1/defaults.go. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/core_v1.h"

namespace dray::api {

using ResourceList = std::map<std::string, Quantity>;

/// Quantities are kept in thousandths, rounded up.
void default_resources(ResourceList& resources);
void default_resources(Box<core::ResourceRequirements>& resources);
/// A pod's spec, also within a template; what only a Pod gets is in core_pod.cpp.
void default_pod_spec(core::PodSpec& spec);
void default_claim_spec(core::PersistentVolumeClaimSpec& spec);
void default_claim(core::PersistentVolumeClaim& claim);
void default_azure_disk(core::AzureDiskVolumeSource& disk);

/// Sets what is absent.
template <class T>
void default_to(std::optional<T>& field, T value) {
  if (!field) field = std::move(value);
}
inline void default_to(std::string& field, std::string_view value) {
  if (field.empty()) field = value;
}
inline void default_to(std::int32_t& field, std::int32_t value) {
  if (field == 0) field = value;
}

/// "latest" if an image reference has neither tag nor digest; empty if it has only a digest or is
/// malformed. Grammar: github.com/distribution/reference.
[[nodiscard]] std::string_view image_tag(std::string_view reference);

/// Whether every pointer of a union struct (VolumeSource, ...) is absent.
[[nodiscard]] bool all_absent(const StructDescriptor& descriptor, const void* value);
template <class T>
[[nodiscard]] bool all_absent(const T& value) {
  return all_absent(T::kDescriptor, &value);
}

}  // namespace dray::api
