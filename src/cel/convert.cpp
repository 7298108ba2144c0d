#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "cel/ip.h"
#include "cel/ops.h"
#include "cel/source.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool parse_integer(std::string_view text, std::int64_t& out) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_natural(std::string_view text, std::uint64_t& out) {
  if (text.empty() || !is_digit(text[0])) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_bool(std::string_view text, bool& out) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"})
    if (text == yes) return out = true, true;
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"})
    if (text == no) return out = false, true;
  return false;
}

/// Underscores may separate digits. False if one stands elsewhere.
bool without_underscores(std::string_view text, bool hex, std::string& out) {
  const auto digit = [&](std::size_t i) {
    if (i >= text.size()) return false;
    const char c = text[i];
    return is_digit(c) || (hex && ((c >= 'a' && c <= 'f') || (i == 1 && c == 'x')));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || !digit(i - 1) || !digit(i + 1)) {
      return false;
    }
  }
  return true;
}

/// strconv.ParseFloat: also names of infinities and hexadecimal; nothing that overflows.
bool parse_double(std::string_view text, double& out) {
  std::string lower;
  for (const char c : text) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
  std::string_view rest = lower;
  bool negative = false;
  if (rest.starts_with('+') || rest.starts_with('-')) {
    negative = rest[0] == '-';
    rest.remove_prefix(1);
  }
  const auto signed_of = [&](double d) { return negative ? -d : d; };
  if (rest == "inf" || rest == "infinity") return out = signed_of(HUGE_VAL), true;
  if (lower == "nan") return out = std::nan(""), true;
  if (rest.empty()) return false;
  const bool hex = rest.starts_with("0x");
  std::string plain;
  if (!without_underscores(rest, hex, plain)) return false;
  rest = plain;
  for (const char c : rest.substr(hex ? 2 : 0)) {
    const bool ok = is_digit(c) || c == '.' || c == '+' || c == '-' ||
                    (hex ? (c >= 'a' && c <= 'f') || c == 'p' : c == 'e');
    if (!ok) return false;
  }
  if (hex && !rest.contains('p')) return false;
  const std::string digits(rest);
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (end != digits.c_str() + digits.size() || std::isinf(value)) return false;
  return out = signed_of(value), true;
}

Val refused(Eval& eval, const Val& v, TypeRef to) {
  std::string_view from = type_name(v);
  std::string text = v.is(ValKind::kOptional) ? std::string(from) : type_text(type_of(v));
  return eval.fail(fmt::format("type conversion error from '{}' to '{}'", text, type_text(to)));
}

Val from_string(Eval& eval, const Val& v, TypeRef to) {
  const std::string_view text = v.text();
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  double number = 0;
  bool boolean = false;
  Val timestamp;
  switch (to->kind) {
    case TypeKind::kInt:
      if (parse_integer(text, integer)) return Val::of_int(integer);
      break;
    case TypeKind::kUint:
      if (parse_natural(text, natural)) return Val::of_uint(natural);
      break;
    case TypeKind::kDouble:
      if (parse_double(text, number)) return Val::of_double(number);
      break;
    case TypeKind::kBool:
      if (parse_bool(text, boolean)) return Val::of(boolean);
      break;
    case TypeKind::kBytes: return Val::of_bytes(text);
    case TypeKind::kDuration:
      if (parse_duration(text, integer)) return Val::of_duration(integer);
      break;
    case TypeKind::kTimestamp:
      if (!parse_timestamp(text, timestamp)) break;
      if (timestamp.integer < kMinUnixTime || timestamp.integer > kMaxUnixTime)
        return Val::error("timestamp overflow");
      return timestamp;
    case TypeKind::kString: return v;
    default: break;
  }
  return refused(eval, v, to);
}

Val from_int(Eval& eval, const Val& v, TypeRef to) {
  switch (to->kind) {
    case TypeKind::kInt: return v;
    case TypeKind::kUint:
      return v.integer < 0 ? Val::error("unsigned integer overflow") : Val::of_uint(v.natural);
    case TypeKind::kDouble: return Val::of_double(static_cast<double>(v.integer));
    case TypeKind::kString: return eval.string(std::to_string(v.integer));
    case TypeKind::kTimestamp:
      if (v.integer < kMinUnixTime || v.integer > kMaxUnixTime)
        return Val::error("timestamp overflow");
      return Val::of_timestamp(v.integer, 0);
    default: return refused(eval, v, to);
  }
}

Val from_uint(Eval& eval, const Val& v, TypeRef to) {
  switch (to->kind) {
    case TypeKind::kInt: return v.integer < 0 ? Val::error("integer overflow") : Val::of_int(v.integer);
    case TypeKind::kUint: return v;
    case TypeKind::kDouble: return Val::of_double(static_cast<double>(v.natural));
    case TypeKind::kString: return eval.string(std::to_string(v.natural));
    default: return refused(eval, v, to);
  }
}

Val from_double(Eval& eval, const Val& v, TypeRef to) {
  const double d = v.number;
  switch (to->kind) {
    case TypeKind::kInt:
      if (!std::isfinite(d) || d <= -9223372036854775808.0 || d >= 9223372036854775808.0)
        return Val::error("integer overflow");
      return Val::of_int(static_cast<std::int64_t>(d));
    case TypeKind::kUint:
      if (!std::isfinite(d) || d < 0 || d >= 18446744073709551616.0)
        return Val::error("unsigned integer overflow");
      return Val::of_uint(static_cast<std::uint64_t>(d));
    case TypeKind::kDouble: return v;
    case TypeKind::kString: return eval.string(go_double(d));
    default: return refused(eval, v, to);
  }
}

Val from_bytes(Eval& eval, const Val& v, TypeRef to) {
  if (to->kind == TypeKind::kBytes) return v;
  if (to->kind != TypeKind::kString) return refused(eval, v, to);
  if (!valid_utf8(v.text())) return Val::error("invalid UTF-8 in bytes, cannot convert to string");
  return Val::of_string(v.text());
}

}  // namespace

Val convert(Eval& eval, const Val& v, TypeRef to) {
  if (to->kind == TypeKind::kType) return v.failed() ? v : Val::of_type(type_of(v));
  const bool to_string = to->kind == TypeKind::kString;
  switch (v.kind) {
    case ValKind::kError:
    case ValKind::kUnknown: return v;
    case ValKind::kString: return from_string(eval, v, to);
    case ValKind::kInt: return from_int(eval, v, to);
    case ValKind::kUint: return from_uint(eval, v, to);
    case ValKind::kDouble: return from_double(eval, v, to);
    case ValKind::kBytes: return from_bytes(eval, v, to);
    case ValKind::kBool:
      if (to_string) return Val::of_string(v.boolean ? "true" : "false");
      return to->kind == TypeKind::kBool ? v : refused(eval, v, to);
    case ValKind::kDuration:
      if (to_string) return eval.string(duration_text(v.integer));
      if (to->kind == TypeKind::kInt) return Val::of_int(v.integer);
      return to->kind == TypeKind::kDuration ? v : refused(eval, v, to);
    case ValKind::kTimestamp:
      if (to_string) return eval.string(timestamp_text(v));
      if (to->kind == TypeKind::kInt) return Val::of_int(v.integer);
      return to->kind == TypeKind::kTimestamp ? v : refused(eval, v, to);
    case ValKind::kNull: return to_string ? Val::of_string("null") : refused(eval, v, to);
    case ValKind::kType: return to_string ? Val::of_string(v.type->name) : refused(eval, v, to);
    case ValKind::kIp:
      return to_string ? eval.string(v.ip->address_text()) : refused(eval, v, to);
    case ValKind::kCidr: return to_string ? eval.string(v.ip->text()) : refused(eval, v, to);
    default: return refused(eval, v, to);
  }
}

bool parse_duration(std::string_view text, std::int64_t& nanoseconds) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return nanoseconds = 0, true;
  if (text.empty()) return false;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63;
  std::uint64_t total = 0;
  while (!text.empty()) {
    std::uint64_t whole = 0, fraction = 0;
    double scale = 1;
    std::size_t i = 0;
    for (; i < text.size() && is_digit(text[i]); ++i) {
      if (whole > kMax / 10) return false;
      whole = whole * 10 + static_cast<std::uint64_t>(text[i] - '0');
      if (whole > kMax) return false;
    }
    bool digits = i > 0, overflow = false;
    if (i < text.size() && text[i] == '.') {
      const std::size_t start = ++i;
      for (; i < text.size() && is_digit(text[i]); ++i) {
        if (overflow) continue;
        if (fraction > (kMax - 1) / 10) {
          overflow = true;
          continue;
        }
        const std::uint64_t next = fraction * 10 + static_cast<std::uint64_t>(text[i] - '0');
        if (next > kMax) {
          overflow = true;
          continue;
        }
        fraction = next;
        scale *= 10;
      }
      digits = digits || i > start;
    }
    if (!digits) return false;
    text.remove_prefix(i);
    std::size_t end = 0;
    while (end < text.size() && text[end] != '.' && !is_digit(text[end])) ++end;
    const std::string_view name = text.substr(0, end);
    std::uint64_t unit = 0;
    if (name == "ns") unit = 1;
    if (name == "us" || name == "\u00b5s" || name == "\u03bcs") unit = 1'000;
    if (name == "ms") unit = 1'000'000;
    if (name == "s") unit = 1'000'000'000;
    if (name == "m") unit = 60'000'000'000;
    if (name == "h") unit = 3'600'000'000'000;
    if (unit == 0 || whole > kMax / unit) return false;
    text.remove_prefix(end);
    whole *= unit;
    if (fraction > 0) {
      whole += static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
      if (whole > kMax) return false;
    }
    total += whole;
    if (total > kMax) return false;
  }
  if (negative) return nanoseconds = static_cast<std::int64_t>(0 - total), true;
  if (total > kMax - 1) return false;
  return nanoseconds = static_cast<std::int64_t>(total), true;
}

namespace {

/// Reads between `least` and `most` digits.
bool take_number(std::string_view& text, std::size_t least, std::size_t most, int& out) {
  std::size_t count = 0;
  out = 0;
  while (count < most && count < text.size() && is_digit(text[count])) out = out * 10 + (text[count++] - '0');
  if (count < least) return false;
  text.remove_prefix(count);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_zone(std::string_view& text, std::int64_t& offset) {
  offset = 0;
  if (take(text, 'Z')) return true;
  const bool negative = text.starts_with('-');
  int hours = 0, minutes = 0;
  if (!negative && !text.starts_with('+')) return false;
  text.remove_prefix(1);
  if (!take_number(text, 2, 2, hours) || !take(text, ':') || !take_number(text, 2, 2, minutes))
    return false;
  if (hours > 24 || minutes > 60) return false;
  offset = (hours * 60 + minutes) * 60;
  if (negative) offset = -offset;
  return true;
}

}  // namespace

bool parse_timestamp(std::string_view text, Val& out) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!take_number(text, 4, 4, year) || !take(text, '-') || !take_number(text, 2, 2, month) ||
      !take(text, '-') || !take_number(text, 2, 2, day) || !take(text, 'T') ||
      !take_number(text, 1, 2, hour) || !take(text, ':') || !take_number(text, 2, 2, minute) ||
      !take(text, ':') || !take_number(text, 2, 2, second))
    return false;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  const std::int64_t month_days = days_of(month == 12 ? year + 1 : year, month % 12 + 1, 1) -
                                  days_of(year, month, 1);
  if (day > month_days) return false;
  std::int32_t nanos = 0;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    text.remove_prefix(1);
    int place = 100'000'000;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), place /= 10)
      nanos += (text[0] - '0') * place;
  }
  std::int64_t offset = 0;
  if (!take_zone(text, offset) || !text.empty()) return false;
  const std::int64_t seconds =
      days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  out = Val::of_timestamp(seconds, nanos, offset);
  return true;
}

}  // namespace dray::cel
