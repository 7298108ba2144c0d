/// API objects of a solution. For this folder only.
/// Source: structured/internal/*/allocator_*.go (Allocate, createNodeSelector).
#pragma once

#include <vector>

#include "base/error.h"
#include "dra/prepared.h"

namespace dray::resource {
struct AllocationResult;
}

namespace dray::dra {

/// Error kInvalid: a node selector with several terms, which no result can express.
[[nodiscard]] Result<std::vector<resource::AllocationResult>> render(const Inventory::Impl& inventory,
                                                                     const Prepared::Impl& pod,
                                                                     const Allocation& allocation,
                                                                     const ShareIds& share_ids);

}  // namespace dray::dra
