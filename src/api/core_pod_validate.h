/// Validation of pods and pod templates.
/// Source: pkg/apis/core/validation/validation.go of Kubernetes 1.37. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/core_validate.h"
#include "api/hooks.h"

namespace dray::api {

/// `metadata` is null for a template.
void validate_pod_spec(const core::PodSpec& spec, const meta::ObjectMeta* metadata, const PodRules& rules,
                       const FieldPath& at, Causes& out);
/// `with_metadata`: of a create; an update's metadata is checked by whoever stores it.
void validate_pod_metadata_and_spec(const core::Pod& pod, const PodRules& rules, bool with_metadata, Causes& out);
/// A template within a Deployment, Job, ...; `old` is null for a create.
void validate_pod_template(const core::PodTemplateSpec& pod, const core::PodTemplateSpec* old,
                           const FeatureGates& gates, const FieldPath& at, Causes& out);
/// `Warning` texts of a spec: fields that are deprecated, useless or surprising. `at` is "spec" or the
/// template's path.
void warn_pod_spec(const core::PodSpec& spec, const std::string& at, std::vector<std::string>& out);
void warn_pod_template(const core::PodTemplateSpec& pod, const std::string& at, std::vector<std::string>& out);
/// Kinds whose name becomes part of host names.
void warn_name(const std::string& name, std::string_view what, std::vector<std::string>& out);

// Hooks.
void validate_pod_create(const HookContext& context, const Object& object, Causes& out);
void validate_pod_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_pod_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_pod_template_create(const HookContext& context, const Object& object, Causes& out);
void validate_pod_template_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
[[nodiscard]] std::vector<std::string> pod_warnings(const HookContext& context, const Object& fresh,
                                                    const Object* old);

}  // namespace dray::api
