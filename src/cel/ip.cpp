#include "cel/ip.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cel/text.h"

namespace dray::cel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// What Go says is wrong, and where, if it says so.
struct Failure {
  std::string message;
  std::string_view at;
};

/// Four decimal numbers.
bool parse_v4_fields(std::string_view text, std::uint8_t* out, Failure& failure) {
  const auto bad = [&](const char* message, std::string_view at = {}) {
    failure = {message, at};
    return false;
  };
  int value = 0, position = 0, digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_digit(c)) {
      if (digits == 1 && value == 0) return bad("IPv4 field has octet with leading zero");
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return bad("IPv4 field has value >255");
    } else if (c == '.') {
      if (i == 0 || i == text.size() - 1 || text[i - 1] == '.')
        return bad("IPv4 field must have at least one digit", text.substr(i));
      if (position == 3) return bad("IPv4 address too long");
      out[position++] = static_cast<std::uint8_t>(value);
      value = digits = 0;
    } else {
      return bad("unexpected character", text.substr(i));
    }
  }
  if (position < 3) return bad("IPv4 address too short");
  out[3] = static_cast<std::uint8_t>(value);
  return true;
}

bool parse_v6(std::string_view in, Ip& out, bool& has_zone, Failure& failure) {
  const auto bad_at = [&](const char* message, std::string_view at) {
    failure = {message, at};
    return false;
  };
  const auto bad = [&](const char* message) { return bad_at(message, {}); };
  std::string_view s = in;
  if (const auto percent = s.find('%'); percent != std::string_view::npos) {
    has_zone = true;
    const bool empty = percent + 1 == s.size();
    s = s.substr(0, percent);
    if (empty) return bad("zone must be a non-empty string");
  }
  int ellipsis = -1;
  std::size_t i = 0;
  if (s.size() >= 2 && s[0] == ':' && s[1] == ':') {
    ellipsis = 0;
    s.remove_prefix(2);
    if (s.empty()) return true;
  }
  while (i < 16) {
    std::size_t off = 0;
    unsigned value = 0;
    for (; off < s.size(); ++off) {
      const char c = s[off];
      if (is_digit(c)) {
        value = value * 16 + static_cast<unsigned>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + static_cast<unsigned>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        value = value * 16 + static_cast<unsigned>(c - 'A' + 10);
      } else {
        break;
      }
      if (off > 3) return bad_at("each group must have 4 or less digits", s);
      if (value > 0xFFFF) return bad_at("IPv6 field has value >=2^16", s);
    }
    if (off == 0) return bad_at("each colon-separated field must have at least one digit", s);
    if (off < s.size() && s[off] == '.') {
      if (ellipsis < 0 && i != 12)
        return bad_at("embedded IPv4 address must replace the final 2 fields of the address", s);
      if (i + 4 > 16)
        return bad_at("too many hex fields to fit an embedded IPv4 at the end of the address", s);
      if (!parse_v4_fields(s, out.bytes.data() + i, failure)) return false;
      s = {};
      i += 4;
      break;
    }
    out.bytes[i] = static_cast<std::uint8_t>(value >> 8);
    out.bytes[i + 1] = static_cast<std::uint8_t>(value);
    i += 2;
    s.remove_prefix(off);
    if (s.empty()) break;
    if (s[0] != ':') return bad_at("unexpected character, want colon", s);
    if (s.size() == 1) return bad_at("colon must be followed by more characters", s);
    s.remove_prefix(1);
    if (s[0] != ':') continue;
    if (ellipsis >= 0) return bad_at("multiple :: in address", s);
    ellipsis = static_cast<int>(i);
    s.remove_prefix(1);
    if (s.empty()) break;
  }
  if (!s.empty()) return bad_at("trailing garbage after address", s);
  if (i < 16) {
    if (ellipsis < 0) return bad("address string too short");
    const auto from = static_cast<std::size_t>(ellipsis), count = 16 - i;
    for (std::size_t j = i; j-- > from;) out.bytes[j + count] = out.bytes[j];
    std::fill_n(out.bytes.begin() + ellipsis, count, std::uint8_t{0});
  } else if (ellipsis >= 0) {
    return bad("the :: must expand to at least one field of zeros");
  }
  return true;
}

}  // namespace

bool parse_address(std::string_view text, Ip& out, bool& has_zone, std::string& error) {
  out = {};
  has_zone = false;
  Failure failure;
  const auto failed = [&] {
    error = fmt::format("ParseAddr({}): {}", go_quote(text), failure.message);
    if (!failure.at.empty()) error += fmt::format(" (at {})", go_quote(failure.at));
    return false;
  };
  for (const char c : text) {
    if (c == '.') return parse_v4_fields(text, out.bytes.data(), failure) || failed();
    if (c == ':') {
      out.is6 = true;
      return parse_v6(text, out, has_zone, failure) || failed();
    }
    if (c == '%') {
      failure.message = "missing IPv6 address";
      return failed();
    }
  }
  failure.message = "unable to parse IP";
  return failed();
}

bool parse_prefix(std::string_view text, Ip& out, std::string& error) {
  const auto failed = [&](std::string_view message) {
    error = fmt::format("netip.ParsePrefix({}): {}", go_quote(text), message);
    return false;
  };
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos) return failed("no '/'");
  bool zone = false;
  std::string why;
  if (!parse_address(text.substr(0, slash), out, zone, why)) return failed(why);
  if (zone) return failed("IPv6 zones cannot be present in a prefix");
  const std::string_view bits = text.substr(slash + 1);
  const auto quoted = [&] { return go_quote(bits); };
  if (bits.size() > 1 && (bits[0] < '1' || bits[0] > '9')) return failed("bad bits after slash: " + quoted());
  std::int64_t length = 0;
  const auto [end, code] = std::from_chars(bits.data(), bits.data() + bits.size(), length);
  if (code != std::errc{} || end != bits.data() + bits.size())
    return failed("bad bits after slash: " + quoted());
  if (length < 0 || length > out.bit_length())
    return failed("prefix length out of range");
  out.bits = static_cast<std::uint8_t>(length);
  return true;
}

bool Ip::is4in6() const {
  if (!is6) return false;
  for (int i = 0; i < 10; ++i)
    if (bytes[static_cast<std::size_t>(i)] != 0) return false;
  return bytes[10] == 0xFF && bytes[11] == 0xFF;
}

std::string Ip::address_text() const {
  if (!is6) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  if (is4in6())
    return fmt::format("::ffff:{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  const auto group = [&](int i) {
    const auto at = static_cast<std::size_t>(i) * 2;
    return bytes[at] << 8 | bytes[at + 1];
  };
  int zero_start = 255, zero_end = 255;
  for (int i = 0; i < 8; ++i) {
    int j = i;
    while (j < 8 && group(j) == 0) ++j;
    if (j - i >= 2 && j - i > zero_end - zero_start) zero_start = i, zero_end = j;
    if (j > i) i = j - 1;
  }
  std::string out;
  for (int i = 0; i < 8; ++i) {
    if (i == zero_start) {
      out += "::";
      i = zero_end;
      if (i >= 8) break;
    } else if (i > 0) {
      out += ':';
    }
    out += fmt::format("{:x}", group(i));
  }
  return out;
}

std::string Ip::text() const {
  return bits == kNoPrefix ? address_text() : fmt::format("{}/{}", address_text(), bits);
}

Ip Ip::masked() const {
  Ip out = *this;
  for (int i = bits; i < bit_length(); ++i)
    out.bytes[static_cast<std::size_t>(i / 8)] &= static_cast<std::uint8_t>(~(0x80 >> i % 8));
  return out;
}

bool Ip::same_prefix(const Ip& other, int length) const {
  if (is6 != other.is6) return false;
  for (int i = 0; i < length; ++i) {
    const auto at = static_cast<std::size_t>(i / 8);
    if (((bytes[at] ^ other.bytes[at]) & (0x80 >> i % 8)) != 0) return false;
  }
  return true;
}

}  // namespace dray::cel
