#include "machinery/base64.h"

#include <array>
#include <cstdint>

namespace dray {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_reverse() {
  std::array<std::int8_t, 256> reverse{};
  reverse.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    reverse[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return reverse;
}
constexpr auto kReverse = make_reverse();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t rest = bytes.size() - i;
    std::uint32_t group = static_cast<unsigned char>(bytes[i]) << 16;
    if (rest > 1) group |= static_cast<unsigned char>(bytes[i + 1]) << 8;
    if (rest > 2) group |= static_cast<unsigned char>(bytes[i + 2]);
    text += kAlphabet[group >> 18];
    text += kAlphabet[(group >> 12) & 63];
    text += rest > 1 ? kAlphabet[(group >> 6) & 63] : '=';
    text += rest > 2 ? kAlphabet[group & 63] : '=';
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      if (++padding > 2 || digits < 2) return std::nullopt;
      continue;
    }
    const int digit = kReverse[static_cast<unsigned char>(c)];
    if (digit < 0 || padding > 0) return std::nullopt;
    group = (group << 6) | static_cast<std::uint32_t>(digit);
    if (++digits == 4) {
      bytes += static_cast<char>(group >> 16);
      bytes += static_cast<char>(group >> 8);
      bytes += static_cast<char>(group);
      group = 0;
      digits = 0;
    }
  }
  if (digits == 0) return padding == 0 ? std::optional(bytes) : std::nullopt;
  if (digits + padding != 4) return std::nullopt;
  if (digits == 2) {
    bytes += static_cast<char>(group >> 4);
  } else {
    bytes += static_cast<char>(group >> 10);
    bytes += static_cast<char>(group >> 2);
  }
  return bytes;
}

}  // namespace dray
