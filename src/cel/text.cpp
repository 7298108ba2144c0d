#include "cel/text.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "cel/eval.h"
#include "cel/ip.h"
#include "cel/semver.h"
#include "cel/source.h"
#include "cel/url.h"
#include "machinery/quantity.h"

namespace dray::cel {
namespace {

/// Roughly unicode.IsPrint: enough for what Go quotes in messages.
bool is_printable(char32_t r) {
  if (r < 0x20 || (r >= 0x7F && r < 0xA1) || r == 0xAD) return false;
  if (r == 0x1680 || (r >= 0x2000 && r <= 0x200F) || (r >= 0x2028 && r <= 0x202F)) return false;
  if (r == 0x205F || (r >= 0x2060 && r <= 0x206F) || r == 0x3000 || r == 0xFEFF) return false;
  if ((r >= 0xD800 && r <= 0xF8FF) || (r >= 0xFFF0 && r <= 0xFFFB)) return false;
  return r <= 0x3FFFF || (r >= 0xE0100 && r <= 0xE01EF);
}

/// The shortest digits that read back as `number`: d.ddd * 10^exponent.
void shortest(double number, std::string& digits, int& exponent) {
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(number), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(result.ptr - buffer));
  const auto e = text.find('e');
  digits.clear();
  for (const char c : text.substr(0, e))
    if (c != '.') digits += c;
  std::string_view tail = text.substr(e + 1);
  if (tail.starts_with('+')) tail.remove_prefix(1);
  std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
}

std::string plain_digits(bool negative, const std::string& digits, int exponent) {
  std::string out = negative ? "-" : "";
  const int count = static_cast<int>(digits.size());
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (exponent >= count - 1)
    return out + digits + std::string(static_cast<std::size_t>(exponent - count + 1), '0');
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string special(double number) {
  if (std::isnan(number)) return "NaN";
  return number > 0 ? "+Inf" : "-Inf";
}

}  // namespace

std::string go_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t r = next_rune(text, at);
    if (r == 0xFFFD && at - start == 1) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[start]));
      continue;
    }
    constexpr std::string_view kFrom = "\a\b\f\n\r\t\v\\\"", kTo = "abfnrtv\\\"";
    if (const auto i = r < 0x80 ? kFrom.find(static_cast<char>(r)) : kFrom.npos; i != kFrom.npos) {
      out += '\\';
      out += kTo[i];
    } else if (is_printable(r)) {
      append_utf8(out, r);
    } else if (r < 0x20 || r == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(r));
    } else {
      out += r < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(r))
                         : fmt::format("\\U{:08x}", static_cast<unsigned>(r));
    }
  }
  return out + '"';
}

std::string go_double(double number) {
  if (!std::isfinite(number)) return special(number);
  std::string digits;
  int exponent = 0;
  shortest(number, digits, exponent);
  const bool negative = std::signbit(number);
  constexpr int kExponentMax = 6;
  if (exponent >= -4 && exponent < kExponentMax)
    return plain_digits(negative, digits, exponent);
  std::string out = negative ? "-" : "";
  out += digits.substr(0, 1);
  if (digits.size() > 1) out += "." + digits.substr(1);
  return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

std::string go_double_plain(double number) {
  if (!std::isfinite(number)) return special(number);
  std::string digits;
  int exponent = 0;
  shortest(number, digits, exponent);
  return plain_digits(std::signbit(number), digits, exponent);
}

std::int64_t days_of(std::int64_t year, int month, int day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

Civil civil(std::int64_t seconds, std::int64_t offset) {
  seconds += offset;
  std::int64_t days = seconds / 86400, rest = seconds % 86400;
  if (rest < 0) rest += 86400, --days;
  const std::int64_t z = days + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  Civil c{};
  c.day = static_cast<int>(doy - (153 * mp + 2) / 5 + 1);
  c.month = static_cast<int>(mp < 10 ? mp + 3 : mp - 9);
  c.year = yoe + era * 400 + (c.month <= 2);
  c.hour = static_cast<int>(rest / 3600);
  c.minute = static_cast<int>(rest / 60 % 60);
  c.second = static_cast<int>(rest % 60);
  c.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  c.year_day = static_cast<int>(days - days_of(c.year, 1, 1));
  return c;
}

std::string timestamp_text(const Val& timestamp, bool utc) {
  const std::int64_t zone = utc ? 0 : timestamp.zone();
  const Civil c = civil(timestamp.integer, zone);
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", c.year, c.month, c.day,
                                c.hour, c.minute, c.second);
  if (timestamp.nanos != 0) {
    std::string fraction = fmt::format("{:09}", timestamp.nanos);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out += "." + fraction;
  }
  if (zone == 0) return out + "Z";
  const std::int64_t minutes = std::abs(zone) / 60;
  return out + fmt::format("{}{:02}:{:02}", zone < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string duration_text(std::int64_t nanoseconds) {
  // As Go: through a float64.
  const double whole = static_cast<double>(nanoseconds / 1'000'000'000);
  const double rest = static_cast<double>(nanoseconds % 1'000'000'000);
  return go_double_plain(whole + rest / 1e9) + "s";
}

std::string go_duration_text(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  const bool negative = nanoseconds < 0;
  std::uint64_t n = negative ? 0 - static_cast<std::uint64_t>(nanoseconds)
                             : static_cast<std::uint64_t>(nanoseconds);
  const auto with_fraction = [](std::uint64_t value, std::uint64_t unit) {
    std::string out = std::to_string(value / unit);
    if (value % unit == 0) return out;
    std::string fraction = std::to_string(value % unit + unit).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    return out + "." + fraction;
  };
  std::string out = negative ? "-" : "";
  if (n < 1000) return out + std::to_string(n) + "ns";
  if (n < 1'000'000) return out + with_fraction(n, 1000) + "\u00b5s";
  if (n < 1'000'000'000) return out + with_fraction(n, 1'000'000) + "ms";
  const std::uint64_t hours = n / 3'600'000'000'000u, minutes = n / 60'000'000'000u % 60;
  if (hours > 0) out += std::to_string(hours) + "h";
  if (hours > 0 || minutes > 0) out += std::to_string(minutes) + "m";
  return out + with_fraction(n % 60'000'000'000u, 1'000'000'000) + "s";
}

namespace {

std::string display_bytes(std::string_view bytes) {
  std::string out = "[";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    out += (i > 0 ? " " : "") + std::to_string(static_cast<unsigned char>(bytes[i]));
  return out + "]";
}

std::string display_timestamp(const Val& v) {
  const Civil c = civil(v.integer, v.zone());
  std::string out = fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", c.year, c.month, c.day,
                                c.hour, c.minute, c.second);
  if (v.nanos != 0) {
    std::string fraction = fmt::format("{:09}", v.nanos);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    out += "." + fraction;
  }
  if (v.zone() == 0) return out + " +0000 UTC";
  const std::int64_t minutes = std::abs(v.zone()) / 60;
  const std::string zone =
      fmt::format("{}{:02}{:02}", v.zone() < 0 ? '-' : '+', minutes / 60, minutes % 60);
  return out + " " + zone + " " + zone;
}

std::string display_collection(Eval& eval, const Val& v) {
  std::string out = v.is(ValKind::kList) ? "[" : "{";
  const std::size_t size = v.is(ValKind::kList) ? v.list->size() : v.map->size();
  eval.work(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) out += ", ";
    if (v.is(ValKind::kList)) {
      out += display(eval, v.list->at(eval.arena, i));
    } else {
      out += display(eval, v.map->key_at(eval.arena, i)) + ": " +
             display(eval, v.map->value_at(eval.arena, i));
    }
    eval.work(out.size() / 64);
  }
  return out + (v.is(ValKind::kList) ? "]" : "}");
}

}  // namespace

std::string display(Eval& eval, const Val& v) {
  const Eval::Deeper deeper(eval);
  switch (v.kind) {
    case ValKind::kNull: return "0";
    case ValKind::kBool: return v.boolean ? "true" : "false";
    case ValKind::kInt: return std::to_string(v.integer);
    case ValKind::kUint: return std::to_string(v.natural);
    case ValKind::kDouble: return go_double(v.number);
    case ValKind::kString:
    case ValKind::kError: return std::string(v.text());
    case ValKind::kBytes: return display_bytes(v.text());
    case ValKind::kDuration: return go_duration_text(v.integer);
    case ValKind::kTimestamp: return display_timestamp(v);
    case ValKind::kType: return type_text(v.type);
    case ValKind::kList:
    case ValKind::kMap: return display_collection(eval, v);
    case ValKind::kOptional:
      return v.inner == nullptr ? "optional.none()" : "optional(" + display(eval, *v.inner) + ")";
    case ValKind::kQuantity: return v.quantity->str();
    case ValKind::kSemver: return v.semver->text();
    case ValKind::kUrl: return v.url->text();
    case ValKind::kIp: return v.ip->address_text();
    case ValKind::kCidr: return v.ip->text();
    case ValKind::kFormat: return "{}";
    case ValKind::kUnknown: return "unknown";
  }
  return {};
}

}  // namespace dray::cel
