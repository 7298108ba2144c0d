/// IP addresses and prefixes, as Go's net/netip reads and writes them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dray::cel {

/// An address, or a prefix if `bits` >= 0. IPv4 is in the first four bytes.
struct Ip {
  std::array<std::uint8_t, 16> bytes{};
  bool is6 = false;
  std::uint8_t bits = kNoPrefix;
  static constexpr std::uint8_t kNoPrefix = 255;
  bool operator==(const Ip&) const = default;

  [[nodiscard]] int bit_length() const { return is6 ? 128 : 32; }
  [[nodiscard]] bool is4in6() const;
  /// The address, without the prefix's length.
  [[nodiscard]] std::string address_text() const;
  /// With "/24" for a prefix.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Ip masked() const;
  /// Whether the first `length` bits of both are the same (and both are of one family).
  [[nodiscard]] bool same_prefix(const Ip& other, int length) const;
};

/// False and Go's text of the error: `ParseAddr("x"): unable to parse IP`. A zone is not kept but
/// reported.
bool parse_address(std::string_view text, Ip& out, bool& has_zone, std::string& error);
bool parse_prefix(std::string_view text, Ip& out, std::string& error);

}  // namespace dray::cel
