#include "scheduler/victim_devices.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"

namespace dray::scheduler {

std::vector<ClaimPtr> ClaimsOfVictims::allocated_claims(const placement::PodInfo& pod) const {
  std::vector<ClaimPtr> out;
  for (auto& entry : claims_.claims_of(*pod.pod)) {
    if (entry.claim->status.allocation) out.push_back(std::move(entry.claim));
  }
  if (auto special = claims_.extended_claim_of(*pod.pod); special && special->status.allocation) {
    out.push_back(std::move(special));
  }
  return out;
}

void ClaimsOfVictims::show(const ClaimPtr& claim) {
  const auto& users = claim->status.reserved_for;
  const bool free = !users.empty() && std::ranges::all_of(users, [&](const auto& user) {
    return removed_.contains(user.uid);
  });
  claims_.devices().in_use.set_claim(claim->metadata.uid, free ? nullptr : claim->status.allocation.get());
}

void ClaimsOfVictims::release(const placement::PodInfo& pod) {
  removed_.insert(pod.uid());
  for (const auto& claim : allocated_claims(pod)) show(claim);
}

void ClaimsOfVictims::restore(const placement::PodInfo& pod) {
  removed_.erase(pod.uid());
  for (const auto& claim : allocated_claims(pod)) show(claim);
}

}  // namespace dray::scheduler
