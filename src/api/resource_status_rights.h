/// Who may write what in a claim's status (feature gate DRAResourceClaimGranularStatusAuthorization).
/// Source: kubernetes pkg/registry/resource/utils.go (1.37).
#pragma once

#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "api/writer_rights.h"
#include "machinery/validate.h"

namespace dray::api {

/// The allocation and the reservations need the right on resourceclaims/binding, entries of status.devices
/// the one on resourceclaims/driver for their driver. For writes of the status subresource by others than
/// parts of the control plane: an admission step calls it, and answers Invalid with the causes.
void validate_status_rights(const FeatureGates& gates, const WriterRights& writer,
                            const resource::ResourceClaim& fresh, const resource::ResourceClaim& old,
                            Causes& out);

}  // namespace dray::api
