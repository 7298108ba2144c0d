/// A scope's requirement on the name of a class. Pure.
#pragma once

#include <string>

namespace dray::core {
struct ScopedResourceSelectorRequirement;
}

namespace dray::store::quota {

/// `value` empty: the object names no class.
[[nodiscard]] bool selects(const core::ScopedResourceSelectorRequirement& scope, const std::string& value);

}  // namespace dray::store::quota
