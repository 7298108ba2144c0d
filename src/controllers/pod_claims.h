/// Which ResourceClaims a pod names. Pure.
/// Source: k8s.io/dynamic-resource-allocation resourceclaim.
#pragma once

#include <string>
#include <vector>

namespace dray::core {
struct Pod;
struct PodResourceClaim;
}  // namespace dray::core
namespace dray::resource {
struct ResourceClaim;
}

namespace dray::controllers {

struct ClaimName {
  enum class State : std::uint8_t {
    kKnown,      // `name`
    kNotNeeded,  // it was determined that there is none
    kUnknown,    // not generated yet
  };
  State state = State::kUnknown;
  std::string name;
  bool generated = false;  // must belong to the pod
};
[[nodiscard]] ClaimName claim_name(const core::Pod& pod, const core::PodResourceClaim& entry);
/// All known ones, also the one for extended resources.
[[nodiscard]] std::vector<std::string> claim_names(const core::Pod& pod);
[[nodiscard]] bool has_claims(const core::Pod& pod);

/// Whether the pod will not run any more: finished, or deleted before it had a node.
[[nodiscard]] bool is_done(const core::Pod& pod);
[[nodiscard]] bool is_owned_by(const resource::ResourceClaim& claim, const core::Pod& pod);
[[nodiscard]] bool is_reserved_for(const resource::ResourceClaim& claim, const core::Pod& pod);

/// "<pod>-<entry>-", both parts shortened in proportion where that is too long.
[[nodiscard]] std::string generate_claim_name(const std::string& pod, const std::string& entry);

}  // namespace dray::controllers
