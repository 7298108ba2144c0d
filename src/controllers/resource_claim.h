/// Makes ResourceClaims from the templates that pods name, and takes reservations, allocations and
/// generated claims away once nobody uses them.
/// Source: k8s.io/kubernetes pkg/controller/resourceclaim.
#pragma once

#include <memory>
#include <vector>

#include "controllers/context.h"

namespace dray::resource {
struct ResourceClaim;
struct ResourceClaimConsumerReference;
}  // namespace dray::resource

namespace dray::controllers {

/// What a look at a claim asks for. Each step follows the one before it.
struct ClaimPlan {
  bool release = false;            // some consumers are gone: `remaining` stay
  bool deallocate = false;         // nobody is left
  bool drop_finalizer = false;
  bool remove = false;             // it was made for a pod that needs it no more
};
/// `remaining` are the consumers that still are; `owner_done` says that the pod it was made for will not
/// run (any more). Pure.
[[nodiscard]] ClaimPlan plan_claim(const resource::ResourceClaim& claim, std::size_t remaining, bool owner_done);

[[nodiscard]] std::unique_ptr<Controller> make_resource_claim_controller(Context context);

}  // namespace dray::controllers
