/// Fields of resource.k8s.io whose feature gate is off: dropped on write, unless the stored object uses
/// the feature already (anywhere in it, then the whole feature stays).
/// Pure. Source: kubernetes pkg/api/resourceclaimspec, pkg/registry/resource/*/strategy.go (1.37).
#pragma once

#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"

namespace dray::api {

// `old` is null for a create.
void drop_disabled_fields(const FeatureGates& gates, resource::ResourceClaimSpec& fresh,
                          const resource::ResourceClaimSpec* old);
void drop_disabled_fields(const FeatureGates& gates, resource::ResourceSliceSpec& fresh,
                          const resource::ResourceSliceSpec* old);
void drop_disabled_fields(const FeatureGates& gates, resource::DeviceClassSpec& fresh,
                          const resource::DeviceClassSpec* old);
void drop_disabled_fields(const FeatureGates& gates,
                          resource_v1alpha3::ResourcePoolStatusRequestSpec& fresh,
                          const resource_v1alpha3::ResourcePoolStatusRequestSpec* old);
/// Of the status; what the old claim uses counts in its spec, too.
void drop_disabled_status_fields(const FeatureGates& gates, resource::ResourceClaim& fresh,
                                 const resource::ResourceClaim& old);

}  // namespace dray::api
