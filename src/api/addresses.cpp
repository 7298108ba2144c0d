#include "api/addresses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include <fmt/core.h>

namespace dray::api {
namespace {

constexpr int kV4PrefixBits = 96;

/// Sixteen bytes; an IPv4 address is kept as IPv4-mapped.
using Bytes = std::array<std::uint8_t, 16>;

/// Leading zeros of IPv4 numbers are decimal, as in net.ParseIP of old.
std::string without_leading_zeros(std::string_view address) {
  std::string out;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const bool starts = i == 0 || address[i - 1] == '.';
    const bool digit_follows = i + 1 < address.size() && address[i + 1] != '.';
    if (starts && address[i] == '0' && digit_follows) {
      while (i + 1 < address.size() && address[i] == '0' && address[i + 1] != '.') ++i;
    }
    out += address[i];
  }
  return out;
}

std::optional<Bytes> parse(std::string_view address) {
  Bytes out{};
  if (address.find(':') != std::string_view::npos) {
    if (inet_pton(AF_INET6, std::string(address).c_str(), out.data()) != 1) return std::nullopt;
    return out;
  }
  out[10] = out[11] = 0xFF;
  if (inet_pton(AF_INET, without_leading_zeros(address).c_str(), out.data() + 12) != 1) return std::nullopt;
  return out;
}

bool is_mapped(const Bytes& bytes) {
  return std::all_of(bytes.begin(), bytes.begin() + 10, [](std::uint8_t b) { return b == 0; }) &&
         bytes[10] == 0xFF && bytes[11] == 0xFF;
}

struct Subnet {
  Bytes bytes;
  int bits = 0;  // of the sixteen bytes
};

std::optional<Subnet> parse_subnet(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto bytes = parse(text.substr(0, slash));
  int bits = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, bits);
  if (!bytes || error != std::errc() || rest != end || bits < 0) return std::nullopt;
  if (text.substr(0, slash).find(':') == std::string_view::npos) bits += kV4PrefixBits;
  if (bits > 128) return std::nullopt;
  return Subnet{*bytes, bits};
}

bool same_prefix(const Bytes& a, const Bytes& b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (std::memcmp(a.data(), b.data(), whole) != 0) return false;
  const int left = bits % 8;
  return left == 0 || (a[whole] ^ b[whole]) >> (8 - left) == 0;
}

}  // namespace

bool is_ipv4(std::string_view address) {
  const auto bytes = parse(address);
  return bytes && is_mapped(*bytes);
}

bool is_ipv6(std::string_view address) {
  const auto bytes = parse(address);
  return bytes && !is_mapped(*bytes);
}

void validate_endpoint_ip(std::string_view address, const FieldPath& at, Causes& out) {
  const auto bytes = parse(address);
  if (!bytes) return out.invalid(at, address, "must be a valid IP address");
  const bool v4 = is_mapped(*bytes);
  const std::uint8_t* b = bytes->data() + (v4 ? 12 : 0);
  const std::uint8_t* end = bytes->data() + bytes->size();
  const bool all_zero_but_last = std::all_of(b, end - 1, [](std::uint8_t byte) { return byte == 0; });
  if (all_zero_but_last && end[-1] == 0) out.invalid(at, address, fmt::format("may not be unspecified ({})", address));
  if (v4 ? b[0] == 127 : all_zero_but_last && end[-1] == 1)
    out.invalid(at, address, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (v4 ? b[0] == 169 && b[1] == 254 : b[0] == 0xFE && (b[1] & 0xC0) == 0x80)
    out.invalid(at, address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (v4 ? b[0] == 224 && b[1] == 0 && b[2] == 0 : b[0] == 0xFF && (b[1] & 0x0F) == 0x02)
    out.invalid(at, address, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

std::optional<bool> is_strict_subnet(std::string_view inner, std::string_view outer) {
  const auto a = parse_subnet(inner), b = parse_subnet(outer);
  if (!a || !b) return std::nullopt;
  return a->bits > b->bits && is_mapped(a->bytes) == is_mapped(b->bytes) && same_prefix(a->bytes, b->bytes, b->bits);
}

}  // namespace dray::api
