#include "machinery/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

namespace dray::yaml {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits at the start of `rest`.
std::string_view take_digits(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

bool take(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

bool take_one_of(std::string_view& rest, std::string_view choices) {
  if (rest.empty() || choices.find(rest[0]) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

/// One or two digits within bounds.
bool take_number(std::string_view& rest, int low, int high, int& out) {
  const std::string_view before = rest;
  std::string_view digits = take_digits(rest);
  if (digits.size() > 2) {
    rest = before.substr(2);
    digits = digits.substr(0, 2);
  }
  out = 0;
  for (const char c : digits) out = out * 10 + (c - '0');
  return !digits.empty() && out >= low && out <= high;
}

/// "2026-1-2", alone or with a time: with T and a zone, or after a space and without one.
bool is_timestamp(std::string_view rest) {
  const std::string_view year = take_digits(rest);
  int month = 0, day = 0, part = 0;
  if (year.size() != 4 || !take(rest, "-") || !take_number(rest, 1, 12, month) || !take(rest, "-") ||
      !take_number(rest, 1, 31, day)) {
    return false;
  }
  int years = 0;
  std::from_chars(year.data(), year.data() + year.size(), years);
  const std::chrono::year_month_day date{std::chrono::year(years),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  if (rest.empty()) return true;
  const bool zoned = take_one_of(rest, "Tt");
  if (!zoned && !take(rest, " ")) return false;
  if (!take_number(rest, 0, 23, part) || !take(rest, ":") || !take_number(rest, 0, 59, part) ||
      !take(rest, ":") || !take_number(rest, 0, 59, part)) {
    return false;
  }
  if (rest.size() > 1 && is_digit(rest[1]) && take_one_of(rest, ".,")) take_digits(rest);
  if (!zoned || take(rest, "Z")) return rest.empty();
  return rest.size() == 6 && take_one_of(rest, "+-") && take_number(rest, 0, 24, part) &&
         take(rest, ":") && take_number(rest, 0, 60, part) && rest.empty();
}

const std::map<std::string_view, Scalar>& words() {
  static const std::map<std::string_view, Scalar> table = [] {
    std::map<std::string_view, Scalar> out;
    const double infinity = std::numeric_limits<double>::infinity();
    const auto add = [&](ScalarKind kind, Value value, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) out.emplace(name, Scalar{kind, value});
    };
    add(ScalarKind::kBool, true,
        {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
    add(ScalarKind::kBool, false,
        {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"});
    add(ScalarKind::kNull, nullptr, {"", "~", "null", "Null", "NULL"});
    add(ScalarKind::kFloat, std::numeric_limits<double>::quiet_NaN(), {".nan", ".NaN", ".NAN"});
    add(ScalarKind::kFloat, infinity, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"});
    add(ScalarKind::kFloat, -infinity, {"-.inf", "-.Inf", "-.INF"});
    return out;
  }();
  return table;
}

/// The base that a prefix names, as in Go's ParseInt with base 0; the prefix is taken.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  switch (digits[1]) {
    case 'x': case 'X': digits.remove_prefix(2); return 16;
    case 'o': case 'O': digits.remove_prefix(2); return 8;
    case 'b': case 'B': digits.remove_prefix(2); return 2;
    default: digits.remove_prefix(1); return 8;
  }
}

std::optional<Value> integer(std::string_view text) {
  std::string_view digits = text;
  const bool negative = take(digits, "-");
  const bool sign = negative || take(digits, "+");
  const int base = take_base(digits);
  std::uint64_t size = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  constexpr std::uint64_t kTwoTo63 = std::uint64_t{1} << 63;
  if (negative && size <= kTwoTo63) return Value(static_cast<std::int64_t>(0 - size));
  if (!negative && size < kTwoTo63) return Value(static_cast<std::int64_t>(size));
  if (sign) return std::nullopt;
  return Value(static_cast<double>(size));
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool has_float_form(std::string_view rest) {
  take_one_of(rest, "+-");
  const bool whole = !take_digits(rest).empty();
  const bool point = take(rest, ".");
  const bool fraction = point && !take_digits(rest).empty();
  if (!whole && !fraction) return false;
  if (rest.empty()) return true;
  if (!take_one_of(rest, "eE")) return false;
  take_one_of(rest, "+-");
  return !take_digits(rest).empty() && rest.empty();
}

std::optional<Value> real(std::string_view text) {
  if (!has_float_form(text)) return std::nullopt;
  take(text, "+");
  const double parsed = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(parsed)) return std::nullopt;
  return Value(parsed);
}

/// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool is_base_60(std::string_view rest) {
  const auto take_digits_and_underscores = [&] {
    while (!rest.empty() && (is_digit(rest[0]) || rest[0] == '_')) rest.remove_prefix(1);
  };
  take_one_of(rest, "+-");
  if (rest.empty() || !is_digit(rest[0])) return false;
  take_digits_and_underscores();
  if (!rest.starts_with(':')) return false;
  while (take(rest, ":")) {
    const std::string_view part = take_digits(rest);
    if (part.empty() || part.size() > 2 || (part.size() == 2 && part[0] > '5')) return false;
  }
  if (take(rest, ".")) take_digits_and_underscores();
  return rest.empty();
}

}  // namespace

Scalar resolve(std::string_view text) {
  constexpr std::string_view kWordStarts = "yYnNtTfFoO~";
  const char first = text.empty() ? '~' : text[0];
  const bool number = is_digit(first) || first == '+' || first == '-' || first == '.';
  if (number || kWordStarts.find(first) != std::string_view::npos) {
    const auto word = words().find(text);
    if (word != words().end()) return word->second;
  }
  if (!number) return {ScalarKind::kString, Value(text)};
  if (first == '.') {
    if (auto parsed = real(text)) return {ScalarKind::kFloat, *std::move(parsed)};
    return {ScalarKind::kString, Value(text)};
  }
  if (is_timestamp(text)) return {ScalarKind::kTimestamp, Value(text)};
  std::string plain(text);
  std::erase(plain, '_');
  if (auto parsed = integer(plain)) return {ScalarKind::kInt, *std::move(parsed)};
  if (auto parsed = real(plain)) return {ScalarKind::kFloat, *std::move(parsed)};
  return {ScalarKind::kString, Value(text)};
}

bool needs_quotes(std::string_view text) {
  return resolve(text).kind != ScalarKind::kString || is_base_60(text);
}

std::string shortest(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  char buffer[64];
  char* const end = buffer + sizeof buffer;
  const auto printed = std::to_chars(buffer, end, number, std::chars_format::scientific);
  const std::string_view text(buffer, printed.ptr - buffer);
  const int exponent = std::atoi(std::string(text.substr(text.find('e') + 1)).c_str());
  if (exponent < -4 || exponent >= 6) return std::string(text);
  const auto fixed = std::to_chars(buffer, end, number, std::chars_format::fixed);
  return std::string(buffer, fixed.ptr);
}

}  // namespace dray::yaml
