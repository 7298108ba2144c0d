#include <arpa/inet.h>

#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "machinery/formats.h"
#include "machinery/validate.h"

namespace dray {
namespace {

/// An address as 16 bytes; one of four bytes is kept as IPv4-mapped.
struct Address {
  std::array<std::uint8_t, 16> bytes{};
  bool written_as_v6 = false;
  bool leading_zeros = false;

  [[nodiscard]] bool is_v4() const {
    constexpr std::uint8_t kPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    return std::memcmp(bytes.data(), kPrefix, sizeof kPrefix) == 0;
  }
  [[nodiscard]] std::string str() const;
};

/// Four decimal numbers up to 255; leading zeros are noted.
bool parse_v4(std::string_view text, Address& out) {
  for (int i = 0; i < 4; ++i) {
    int number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
      number = number * 10 + (text[digits] - '0');
      if (number > 255) return false;
    }
    if (digits == 0) return false;
    if (digits > 1 && text[0] == '0') out.leading_zeros = true;
    text.remove_prefix(digits);
    out.bytes[12 + i] = static_cast<std::uint8_t>(number);
    if (i < 3) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
  }
  out.bytes[10] = out.bytes[11] = 0xFF;
  return text.empty();
}

std::optional<Address> parse_address(std::string_view text) {
  Address out;
  if (text.find(':') == std::string_view::npos) {
    if (!parse_v4(text, out)) return std::nullopt;
    return out;
  }
  out.written_as_v6 = true;
  if (inet_pton(AF_INET6, std::string(text).c_str(), out.bytes.data()) != 1) return std::nullopt;
  return out;
}

/// RFC 5952, but an embedded IPv4 address only where the whole is one.
std::string Address::str() const {
  if (is_v4()) return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  int zeros_at = -1;
  int zeros = 1;  // One alone is not shortened.
  const auto group = [&](int i) { return bytes[2 * i] << 8 | bytes[2 * i + 1]; };
  for (int i = 0; i < 8; ++i) {
    int run = 0;
    while (i + run < 8 && group(i + run) == 0) ++run;
    if (run > zeros) {
      zeros_at = i;
      zeros = run;
    }
    i += run;
  }
  std::string out;
  for (int i = 0; i < 8; ++i) {
    if (i == zeros_at) {
      out += "::";
      i += zeros - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    out += fmt::format("{:x}", group(i));
  }
  return out;
}

struct Network {
  Address address;
  int length = 0;
  bool leading_zeros = false;

  [[nodiscard]] int bits() const { return address.written_as_v6 ? 128 : 32; }
  [[nodiscard]] Address masked() const {
    Address out = address;
    const int first = 128 - bits() + length;
    for (int bit = first; bit < 128; ++bit) out.bytes[bit / 8] &= static_cast<std::uint8_t>(~(0x80 >> bit % 8));
    return out;
  }
};

std::optional<Network> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  Network out{*address, 0, false};
  const std::string_view digits = text.substr(slash + 1);
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    out.length = out.length * 10 + (c - '0');
    if (out.length > out.bits()) return std::nullopt;
  }
  if (digits.empty()) return std::nullopt;
  out.leading_zeros = address->leading_zeros || (digits.size() > 1 && digits[0] == '0');
  return out;
}

Problems not_canonical(std::string_view value, const std::string& canonical) {
  if (value == canonical) return {};
  return {fmt::format("must be in canonical form ({})", go_quoted(canonical))};
}

}  // namespace

Problems check_legacy_ip(std::string_view value) {
  const auto address = parse_address(value);
  if (!address) return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  Problems out;
  if (address->leading_zeros) out.push_back("must not have leading 0s");
  if (address->written_as_v6 && address->is_v4()) {
    out.push_back("must not be an IPv4-mapped IPv6 address");
  }
  return out;
}

Problems check_ip(std::string_view value) {
  Problems out = check_legacy_ip(value);
  return out.empty() ? not_canonical(value, parse_address(value)->str()) : out;
}

Problems check_cidr(std::string_view value) {
  const auto network = parse_network(value);
  if (!network) return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
  if (network->leading_zeros) return {"must not have leading 0s in IP or prefix length"};
  if (network->address.written_as_v6 && network->address.is_v4()) {
    return {"must not have an IPv4-mapped IPv6 address"};
  }
  if (network->masked().bytes != network->address.bytes) {
    return {"must not have bits set beyond the prefix length"};
  }
  return not_canonical(value, fmt::format("{}/{}", network->address.str(), network->length));
}

Problems check_interface_address(std::string_view value) {
  const auto network = parse_network(value);
  if (!network) return {"must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)"};
  const bool mapped = network->address.written_as_v6 && network->address.is_v4() && network->length > 32;
  return not_canonical(value, fmt::format("{}/{}", network->address.str(), network->length - (mapped ? 96 : 0)));
}

}  // namespace dray
