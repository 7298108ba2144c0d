#include "machinery/utf8.h"

namespace dray::utf8 {
namespace {

constexpr Rune kInvalid{kReplacement, 1, false};

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xC0) == 0x80;
}

}  // namespace

Rune decode(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return {first, 1, true};
  const int size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return kInvalid;
  char32_t code = first & (0xFFu >> (size + 1));
  for (int i = 1; i < size; ++i) {
    if (!is_continuation(text, i)) return kInvalid;
    code = code << 6 | (byte_at(text, i) & 0x3F);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return kInvalid;
  return {code, size, true};
}

void append(std::string& out, char32_t code) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = kReplacement;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool valid(std::string_view text) {
  while (!text.empty()) {
    const Rune rune = decode(text);
    if (!rune.valid) return false;
    text.remove_prefix(rune.size);
  }
  return true;
}

std::string repaired(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Rune rune = decode(text);
    append(out, rune.code);
    text.remove_prefix(rune.size);
  }
  return out;
}

std::size_t count(std::string_view text) {
  std::size_t runes = 0;
  for (; !text.empty(); ++runes) text.remove_prefix(decode(text).size);
  return runes;
}

}  // namespace dray::utf8
