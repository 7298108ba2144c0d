/// Validation of a claim's status.
#pragma once

#include "api/resource_v1.h"
#include "machinery/validate.h"

namespace dray::api {

/// An update of the status; both claims have the same spec.
void validate_claim_status_change(const resource::ResourceClaim& fresh, const resource::ResourceClaim& old,
                                  Causes& out);

}  // namespace dray::api
