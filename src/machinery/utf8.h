/// Runes of a text that may not be valid UTF-8, as Go's unicode/utf8 sees them. Private to machinery.
#pragma once

#include <string>
#include <string_view>

namespace dray::utf8 {

struct Rune {
  char32_t code;
  /// Bytes consumed; 1 for an invalid byte.
  int size;
  bool valid;
};

inline constexpr char32_t kReplacement = 0xFFFD;

/// The rune at the start of `text`, which is not empty. Overlong forms, surrogates and codes beyond
/// U+10FFFF are invalid.
[[nodiscard]] Rune decode(std::string_view text);
/// Surrogates and codes beyond U+10FFFF become U+FFFD.
void append(std::string& out, char32_t code);
[[nodiscard]] bool valid(std::string_view text);
/// `text` with every invalid byte replaced by U+FFFD.
[[nodiscard]] std::string repaired(std::string_view text);
/// How many runes; an invalid byte counts as one.
[[nodiscard]] std::size_t count(std::string_view text);

}  // namespace dray::utf8
