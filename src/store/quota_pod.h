/// What a pod counts toward quotas, and in which scopes it is. Pure.
/// Source: k8s.io/kubernetes pkg/quota/v1/evaluator/core/pods.go, k8s.io/component-helpers/resource.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/quota.h"

namespace dray::core {
struct Pod;
struct ScopedResourceSelectorRequirement;
}  // namespace dray::core

namespace dray::store::quota {

/// Requests of the whole pod as its spec has them, with overhead.
[[nodiscard]] List spec_requests(const core::Pod& pod);
[[nodiscard]] List pod_usage(const api::FeatureGates& gates, Time now, const core::Pod& pod);
/// "requests.example.com/gpu" and "requests.deviceclass.resource.kubernetes.io/gpu".
[[nodiscard]] bool is_extended(std::string_view name);
[[nodiscard]] bool is_pod_resource(std::string_view name);
[[nodiscard]] bool in_scope(const api::FeatureGates& gates, const core::Pod& pod,
                            const core::ScopedResourceSelectorRequirement& scope);
/// Where some container does not say what a quota on cpu or memory needs: `must specify limits.cpu for: c`.
[[nodiscard]] std::string unspecified(const api::FeatureGates& gates, const core::Pod& pod,
                                      const std::vector<std::string>& names);

}  // namespace dray::store::quota
