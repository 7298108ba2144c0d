#include "api/resource_defaults.h"

#include "api/hooks.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"

namespace dray::api {
namespace {

constexpr std::int32_t kPoolLimitDefault = 100;

/// An ExactDeviceRequest or a DeviceSubRequest.
template <class Request>
void default_request(Request& request) {
  if (request.allocation_mode.empty()) request.allocation_mode = "ExactCount";
  if (request.allocation_mode == "ExactCount" && request.count == 0) request.count = 1;
  for (resource::DeviceToleration& toleration : request.tolerations) {
    if (toleration.operator_.empty()) toleration.operator_ = "Equal";
  }
}

void default_spec(resource::ResourceClaimSpec& spec) {
  for (resource::DeviceRequest& request : spec.devices.requests) {
    if (request.exactly) default_request(*request.exactly);
    for (resource::DeviceSubRequest& sub : request.first_available) default_request(sub);
  }
}

}  // namespace

void default_claim(Object& object) {
  auto& claim = cast<resource::ResourceClaim>(object);
  default_spec(claim.spec);
  if (!claim.status.allocation) return;
  for (resource::DeviceRequestAllocationResult& result : claim.status.allocation->devices.results) {
    for (resource::DeviceToleration& toleration : result.tolerations) {
      if (toleration.operator_.empty()) toleration.operator_ = "Equal";
    }
  }
}

void default_claim_template(Object& object) {
  default_spec(cast<resource::ResourceClaimTemplate>(object).spec.spec);
}

void default_pool_status_request(Object& object) {
  auto& spec = cast<resource_v1alpha3::ResourcePoolStatusRequest>(object).spec;
  if (!spec.limit) spec.limit = kPoolLimitDefault;
}

}  // namespace dray::api
