/// Standard base64 (RFC 4648) with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray {

[[nodiscard]] std::string base64_encode(std::string_view bytes);
/// Nothing for a wrong character, length or padding. Line breaks are skipped, as Go does.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text);

}  // namespace dray
