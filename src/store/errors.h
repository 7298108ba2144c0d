/// Kubernetes' texts for what the store and its resources refuse. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"
#include "base/error.h"

namespace dray::store {

/// `pods "x" not found`.
[[nodiscard]] Error not_found(const api::Kind& kind, std::string_view name);
/// `pods "x" already exists`.
[[nodiscard]] Error already_exists(const api::Kind& kind, std::string_view name);
/// `Operation cannot be fulfilled on pods "x": ` and why.
[[nodiscard]] Error conflict(const api::Kind& kind, std::string_view name, std::string_view why);
/// The conflict of a stale resourceVersion.
[[nodiscard]] Error modified(const api::Kind& kind, std::string_view name);
/// `pods "x" is forbidden: ` and why.
[[nodiscard]] Error forbidden(const api::Kind& kind, std::string_view name, std::string_view why);
/// `Internal error occurred: ` and why.
[[nodiscard]] Error internal(std::string_view why);

/// A text as Go's %q prints it.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace dray::store
