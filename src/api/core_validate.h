/// Validation of core's parts, shared by pods, templates, nodes, claims and quotas.
/// Source: pkg/apis/core/validation/validation.go of Kubernetes 1.37; texts, fields and order are its
/// own. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_defaults.h"
#include "api/core_v1.h"
#include "machinery/metadata_validation.h"
#include "machinery/validate.h"

namespace dray::api {

class FeatureGates;

/// What depends on gates and on the stored object: a value that it already has is not refused.
struct PodRules {
  const FeatureGates& gates;
  /// A Pod, not a template.
  bool is_pod = false;
  /// Of an update: the stored spec.
  const core::PodSpec* old = nullptr;
};

using Names = std::set<std::string, std::less<>>;
using Volumes = std::map<std::string, const core::VolumeSource*, std::less<>>;

inline constexpr std::string_view kNegative = "must be greater than or equal to 0";
inline constexpr std::string_view kNotPositive = "must be greater than zero";
inline constexpr std::string_view kNotInteger = "must be an integer";

// core_validate.cpp: small values
/// Core's ValidateObjectMeta, of a create: also, finalizers are standard ones or have a domain.
void validate_object_metadata(const meta::ObjectMeta& metadata, bool namespaced, NameCheck name_check,
                              const FieldPath& at, Causes& out);
/// The latter alone, for updates.
void validate_finalizer_names(const meta::ObjectMeta& metadata, Causes& out);
void validate_dns1123_label(std::string_view value, const FieldPath& at, Causes& out);
void validate_dns1123_subdomain(std::string_view value, const FieldPath& at, Causes& out);
void validate_qualified_name(std::string_view value, const FieldPath& at, Causes& out);
void validate_name(NameCheck check, std::string_view value, const FieldPath& at, Causes& out);
void validate_positive(std::int64_t value, const FieldPath& at, Causes& out);
void validate_port_number(std::int64_t port, const FieldPath& at, Causes& out);
void validate_port(const IntOrString& port, const FieldPath& at, Causes& out);
void validate_no_backsteps(std::string_view path, const FieldPath& at, Causes& out);
void validate_local_path(std::string_view path, const FieldPath& at, Causes& out);
void validate_local_unreserved_path(std::string_view path, const FieldPath& at, Causes& out);
/// A whole object as "Invalid value" shows it.
[[nodiscard]] BadValue bad_struct(const StructDescriptor& descriptor, const void* value);
template <class T>
[[nodiscard]] BadValue bad_struct(const T& value) {
  return bad_struct(T::kDescriptor, &value);
}

// core_resources_validate.cpp
[[nodiscard]] bool is_huge_page_resource(std::string_view name);
[[nodiscard]] bool is_native_resource(std::string_view name);
[[nodiscard]] bool is_extended_resource(std::string_view name);
[[nodiscard]] bool is_overcommit_allowed(std::string_view name);
void validate_resource_quantity(std::string_view name, const Quantity& value, const FieldPath& at, Causes& out);
/// Whether the name is well-formed and, without a domain, a standard one.
bool validate_resource_name(std::string_view name, const FieldPath& at, Causes& out);
void validate_container_resources(const core::ResourceRequirements& resources, const Names& claims,
                                  const FieldPath& at, Causes& out);
void validate_pod_resources(const core::PodSpec& spec, const Names& claims, const FieldPath& at, Causes& out);

// core_probe_validate.cpp
void validate_probes(const core::Container& container, const core::PodSpec& spec, const FieldPath& at, Causes& out);
void validate_lifecycle(const core::Lifecycle& lifecycle, const core::PodSpec& spec, const FieldPath& at,
                        Causes& out);

// core_container_validate.cpp
void validate_containers(const core::PodSpec& spec, const Volumes& volumes, const Names& claims,
                         const PodRules& rules, const FieldPath& at, Causes& out);

// core_env_validate.cpp
void validate_env(const std::vector<core::EnvVar>& env, const PodRules& rules, const FieldPath& at, Causes& out);
void validate_env_from(const std::vector<core::EnvFromSource>& sources, const FieldPath& at, Causes& out);
void validate_field_selector(const core::ObjectFieldSelector& selector, bool of_volume, const FieldPath& at,
                             Causes& out);
void validate_resource_selector(const core::ResourceFieldSelector& selector, bool of_volume,
                                const FieldPath& at, Causes& out);

// core_security_validate.cpp
void validate_security_context(const core::SecurityContext& context, bool host_users, const FieldPath& at,
                               Causes& out);
void validate_pod_security_context(const core::PodSpec& spec, const PodRules& rules, const FieldPath& at,
                                   Causes& out);
void validate_operating_system(const core::PodSpec& spec, const FieldPath& at, Causes& out);

// core_volumes_validate.cpp: the volumes that are right, by name
[[nodiscard]] Volumes validate_volumes(const std::vector<core::Volume>& volumes, const meta::ObjectMeta* metadata,
                                       const FieldPath& at, Causes& out);
void validate_claim_spec(const core::PersistentVolumeClaimSpec& spec, const FieldPath& at, Causes& out);

// core_affinity_validate.cpp
void validate_affinity(const core::Affinity& affinity, const FieldPath& at, Causes& out);
void validate_node_selector(const core::NodeSelector& selector, const FieldPath& at, Causes& out);
void validate_tolerations(const std::vector<core::Toleration>& tolerations, const PodRules& rules,
                          const FieldPath& at, Causes& out);
void validate_taint_effect(std::string_view effect, const FieldPath& at, Causes& out);
void validate_topology_spread(const std::vector<core::TopologySpreadConstraint>& constraints,
                              const PodRules& rules, const FieldPath& at, Causes& out);

}  // namespace dray::api
