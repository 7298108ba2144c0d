/// Pods and pod templates: what Kubernetes does to them on write. Templates of every kind share it.
/// Source: pkg/registry/core/pod/strategy.go, pkg/api/pod. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/core_defaults.h"
#include "api/core_v1.h"
#include "api/hooks.h"

namespace dray::api {

/// Drops fields whose gate is off, unless the stored spec (null for a create) uses them.
void drop_disabled_fields(const FeatureGates& gates, core::PodSpec& fresh, const core::PodSpec* old);
/// The same of a template, with the annotations that Kubernetes forgets.
void drop_disabled_fields(const FeatureGates& gates, core::PodTemplateSpec& fresh,
                          const core::PodTemplateSpec* old);
void drop_disabled_status_fields(const FeatureGates& gates, core::Pod& fresh, const core::Pod* old);

/// "Guaranteed", "Burstable" or "BestEffort".
[[nodiscard]] std::string qos_class(const FeatureGates& gates, const core::Pod& pod);
/// Requests and limits of the whole pod, where they are partly given. What is missing comes from the
/// containers.
void default_pod_level_resources(const FeatureGates& gates, core::Pod& pod);

/// An init container that stays: restartPolicy Always.
[[nodiscard]] bool is_sidecar(const core::Container& init_container);
/// What the containers need together: regular ones and sidecars at once, or the largest init step.
[[nodiscard]] ResourceList aggregate_requests(const core::PodSpec& spec);
[[nodiscard]] ResourceList aggregate_limits(const core::PodSpec& spec);

[[nodiscard]] std::span<const KindHooks> pod_hooks();

}  // namespace dray::api
