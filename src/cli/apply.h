/// Manifests into a control plane: what `dray up -f` does. Confined to the executor.
#pragma once

#include <span>

#include "base/error.h"
#include "base/executor.h"
#include "cli/manifests.h"
#include "store/resources.h"

namespace dray::cli {

/// Creates each object, or merges it into the one that exists. The first error ends it.
[[nodiscard]] Result<> apply_manifests(std::span<const Manifest> manifests, store::Resources& resources);

/// The same on a copy in memory, so that a bad manifest changes nothing. Error: all problems.
[[nodiscard]] Result<> rehearse(std::span<const Manifest> manifests, const store::Store& real,
                                const api::Registry& registry, const api::FeatureGates& gates,
                                Executor& executor);

}  // namespace dray::cli
