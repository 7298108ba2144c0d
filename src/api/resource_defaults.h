/// Defaults of resource.k8s.io. Those that need the time belong to the preparation of a write
/// (resource_prepare.h): a hook for defaults has no clock.
/// Source: kubernetes pkg/apis/resource/v1/defaults.go, v1alpha3/defaults.go (1.37).
#pragma once

#include "machinery/object.h"

namespace dray::api {

void default_claim(Object& claim);
void default_claim_template(Object& claim_template);
void default_pool_status_request(Object& request);

}  // namespace dray::api
