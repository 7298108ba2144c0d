#include "controllers/pod_claims.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "controllers/owners.h"

namespace dray::controllers {
namespace {
/// 63 characters less a hyphen and five random ones.
constexpr std::size_t kBaseMax = 57;
}  // namespace

ClaimName claim_name(const core::Pod& pod, const core::PodResourceClaim& entry) {
  using State = ClaimName::State;
  if (entry.resource_claim_name) return {State::kKnown, *entry.resource_claim_name, false};
  for (const core::PodResourceClaimStatus& status : pod.status.resource_claim_statuses) {
    if (status.name != entry.name) continue;
    if (!status.resource_claim_name) return {State::kNotNeeded, "", false};
    return {State::kKnown, *status.resource_claim_name, true};
  }
  return {};
}

std::vector<std::string> claim_names(const core::Pod& pod) {
  std::vector<std::string> out;
  for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
    ClaimName name = claim_name(pod, entry);
    if (name.state == ClaimName::State::kKnown) out.push_back(std::move(name.name));
  }
  if (pod.status.extended_resource_claim_status) {
    out.push_back(pod.status.extended_resource_claim_status->resource_claim_name);
  }
  return out;
}

bool has_claims(const core::Pod& pod) {
  return !pod.spec.resource_claims.empty() || pod.status.extended_resource_claim_status;
}

bool is_done(const core::Pod& pod) {
  const bool finished = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  return finished || (pod.metadata.deletion_timestamp && pod.spec.node_name.empty());
}

bool is_owned_by(const resource::ResourceClaim& claim, const core::Pod& pod) { return is_controlled_by(claim, pod); }

bool is_reserved_for(const resource::ResourceClaim& claim, const core::Pod& pod) {
  return std::ranges::any_of(claim.status.reserved_for, [&](const auto& one) { return one.uid == pod.metadata.uid; });
}

std::string generate_claim_name(const std::string& pod, const std::string& entry) {
  const std::string whole = pod + "-" + entry + "-";
  if (whole.size() <= kBaseMax) return whole;
  return pod.substr(0, pod.size() * kBaseMax / whole.size()) + "-" + entry.substr(0, entry.size() * kBaseMax / whole.size());
}

}  // namespace dray::controllers
