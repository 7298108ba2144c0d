/// Writes to ResourceClaims on the way to a bound pod, and back.
#pragma once

#include <functional>
#include <memory>

#include "placement/devices.h"
#include "scheduler/core.h"

namespace dray::resource {
struct ResourceClaimConsumerReference;
}

namespace dray::scheduler {

using ClaimDone = std::function<void(const Result<ClaimPtr>&)>;

/// Stores allocation (if any) and consumer in the claim, with the finalizer that keeps it.
void reserve_claim(Core& core, const ClaimPtr& claim,
                   std::shared_ptr<const resource::AllocationResult> allocation,
                   const resource::ResourceClaimConsumerReference& consumer, ClaimDone done);
/// Takes the consumer out of status.reservedFor.
void unreserve_claim(Core& core, const ClaimPtr& claim, const std::string& consumer_uid);
/// Clears allocation, reservations and device status.
void deallocate_claim(Core& core, const ClaimPtr& claim);
/// Creates the special claim for extended resources.
void create_claim(Core& core, const ClaimPtr& claim, ClaimDone done);
/// Removes the finalizer, then the claim.
void delete_claim(Core& core, const ClaimPtr& claim);

}  // namespace dray::scheduler
