/// Objects as rows of text: what the journal and snapshots hold. Private to the store.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/kind.h"
#include "base/error.h"

namespace dray::store {

/// The object of a row. A version that is not the stored one any more is converted.
[[nodiscard]] Result<ObjectPtr> decode_row(const api::Kind& kind, std::string_view json,
                                           std::uint64_t revision);

}  // namespace dray::store
