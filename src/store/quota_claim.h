/// What a ResourceClaim counts toward quotas: devices by class, and extended resources that its classes stand for.
/// Source: k8s.io/kubernetes pkg/quota/v1/evaluator/core/resource_claims.go.
#pragma once

#include <string_view>

#include "store/quota.h"

namespace dray::resource {
struct ResourceClaim;
}

namespace dray::store::quota {

[[nodiscard]] List claim_usage(const Source& source, const resource::ResourceClaim& claim);
[[nodiscard]] bool is_claim_resource(const Source& source, std::string_view name);

}  // namespace dray::store::quota
