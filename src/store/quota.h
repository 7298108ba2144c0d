/// What objects count toward resource quotas: computing resources of pods, devices of claims, storage,
/// services, and objects of any kind. Admission charges it, the quota controller counts it anew.
/// Source: k8s.io/kubernetes pkg/quota/v1, k8s.io/apiserver pkg/quota/v1. Pure but for what `Source` reads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "machinery/quantity.h"
#include "machinery/time.h"

namespace dray::core {
struct ResourceQuota;
}

namespace dray::store::quota {

/// Amounts by the names that quotas use: "requests.cpu", "count/pods", "gpu.deviceclass.resource.k8s.io/devices".
using List = std::map<std::string, Quantity>;

/// Where other objects are found. Borrowed for the call.
struct Source {
  const api::Registry& registry;
  const api::FeatureGates& gates;
  std::function<std::vector<ObjectPtr>(const StructDescriptor& kind, const std::string& namespace_)> list;
  Time now;
};

/// Whether quotas count objects of the kind at all (events, reviews and the like they do not).
[[nodiscard]] bool counts(const api::Kind& kind);
/// Those of `names` that objects of the kind can use.
[[nodiscard]] std::vector<std::string> matching(const Source& source, const api::Kind& kind, const List& names);
/// What the object uses.
[[nodiscard]] List usage(const Source& source, const api::Kind& kind, const Object& object);
/// Whether the object is in every scope of the quota.
[[nodiscard]] bool in_scopes(const Source& source, const core::ResourceQuota& quota, const Object& object);
/// What all objects of the quota's namespace use, under exactly the names of spec.hard; what nothing here
/// measures keeps its last value.
[[nodiscard]] List recount(const Source& source, const core::ResourceQuota& quota);

}  // namespace dray::store::quota
