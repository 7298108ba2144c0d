/// The rights that a claim's status needs beyond the one on resourceclaims/status.
#pragma once

#include "apiserver/core.h"

namespace dray::apiserver {

/// Of a write of `fresh` in place of `live` (null: unknown), whatever its kind: nothing is wrong with others.
/// Error kInvalid with causes in Kubernetes' texts. Executor.
[[nodiscard]] Result<> check_claim_rights(const Core& core, const Call& call, const Object* live,
                                          const Object& fresh);

}  // namespace dray::apiserver
