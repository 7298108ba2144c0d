#include "machinery/time.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

namespace dray {
namespace {

using std::chrono::floor;

constexpr std::string_view kSecondsLayout = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicroLayout = "2006-01-02T15:04:05.000000Z07:00";
constexpr std::int64_t kMicro = 1'000'000;
constexpr std::int64_t kNano = 1'000'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Go's time.Parse for one of the two layouts, with its error texts.
class Rfc3339Parser {
 public:
  Rfc3339Parser(std::string_view text, std::string_view layout)
      : text_(text), rest_(text), layout_(layout) {}

  /// Seconds since 1970; `micros` gets the fraction.
  Result<std::int64_t> parse(std::int64_t& micros) {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0;
    if (!digits("2006", 4, year) || !literal("-") || !digits("01", 2, month) ||
        !in_range("month", month, 1, 12) || !literal("-") || !digits("02", 2, day) ||
        !literal("T") || !digits("15", 2, hour) || !in_range("hour", hour, 0, 23) ||
        !literal(":") || !digits("04", 2, minute) || !in_range("minute", minute, 0, 59) ||
        !literal(":") || !digits("05", 2, second) || !in_range("second", second, 0, 59) ||
        !fraction(micros) || !zone(offset) || !no_rest()) {
      return fail(Code::kBadRequest, std::move(error_));
    }
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) {
      out_of_range("day");
      return fail(Code::kBadRequest, std::move(error_));
    }
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    return days * std::int64_t{86400} + hour * 3600 + minute * 60 + second - offset;
  }

 private:
  bool digits(std::string_view element, std::size_t count, int& out) {
    const bool enough = rest_.size() >= count &&
                        std::all_of(rest_.begin(), rest_.begin() + count, is_digit);
    if (!enough) return cannot_parse(element);
    for (std::size_t i = 0; i < count; ++i) out = out * 10 + (rest_[i] - '0');
    rest_.remove_prefix(count);
    return true;
  }

  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return cannot_parse(text);
    rest_.remove_prefix(text.size());
    return true;
  }

  /// Optional, of any length; where the layout asks for six digits, exactly six.
  bool fraction(std::int64_t& micros) {
    const bool exact = layout_ == kMicroLayout;
    const bool present = rest_.size() >= 2 && (rest_[0] == '.' || rest_[0] == ',') && is_digit(rest_[1]);
    if (!present) return !exact || cannot_parse(".000000");
    std::size_t length = 1;
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
    if (exact && length < 7) return cannot_parse(".000000");
    if (exact) length = 7;
    for (std::size_t i = 1; i < 7; ++i) micros = micros * 10 + (i < length ? rest_[i] - '0' : 0);
    rest_.remove_prefix(length);
    return true;
  }

  bool zone(int& offset) {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    const auto digit = [&](std::size_t i) { return is_digit(rest_[i]); };
    if (rest_.size() < 6 || (rest_[0] != '+' && rest_[0] != '-') || rest_[3] != ':' || !digit(1) ||
        !digit(2) || !digit(4) || !digit(5)) {
      return cannot_parse("Z07:00");
    }
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return out_of_range("time zone offset hour");
    if (minutes > 60) return out_of_range("time zone offset minute");
    offset = (hours * 60 + minutes) * (rest_[0] == '-' ? -60 : 60);
    rest_.remove_prefix(6);
    return true;
  }

  bool no_rest() {
    if (rest_.empty()) return true;
    error_ = fmt::format("parsing time \"{}\": extra text: \"{}\"", text_, rest_);
    return false;
  }
  bool in_range(std::string_view what, int value, int low, int high) {
    return (value >= low && value <= high) || out_of_range(what);
  }
  bool out_of_range(std::string_view what) {
    error_ = fmt::format("parsing time \"{}\": {} out of range", text_, what);
    return false;
  }
  bool cannot_parse(std::string_view element) {
    error_ = fmt::format("parsing time \"{}\" as \"{}\": cannot parse \"{}\" as \"{}\"", text_, layout_,
                         rest_, element);
    return false;
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view layout_;
  std::string error_;
};

void append_date_and_time(std::string& out, std::int64_t seconds) {
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto day = floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                 clock.seconds().count());
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr Unit kUnits[] = {{"ns", 1},
                           {"us", 1000},
                           {"\u00B5s", 1000},
                           {"\u03BCs", 1000},
                           {"ms", kMicro},
                           {"s", kNano},
                           {"m", 60 * kNano},
                           {"h", 3600 * kNano}};

const Unit* find_unit(std::string_view name) {
  const auto* found = std::ranges::find(kUnits, name, &Unit::name);
  return found == std::end(kUnits) ? nullptr : found;
}

/// One "1.5h" of a duration, taken off `rest`. False with `problem` set, empty for the usual text.
bool parse_duration_part(std::string_view& rest, unsigned __int128& total, std::string& problem) {
  constexpr unsigned __int128 kMax = std::uint64_t{1} << 63;
  const auto take_digits = [&] {
    std::size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    const std::string_view digits = rest.substr(0, n);
    rest.remove_prefix(n);
    return digits;
  };
  const std::string_view whole = take_digits();
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits();
  }
  if (whole.empty() && fraction.empty()) return false;
  std::size_t n = 0;
  while (n < rest.size() && rest[n] != '.' && !is_digit(rest[n])) ++n;
  if (n == 0) {
    problem = "missing unit in duration";
    return false;
  }
  const Unit* unit = find_unit(rest.substr(0, n));
  if (unit == nullptr) {
    problem = fmt::format("unknown unit \"{}\" in duration", rest.substr(0, n));
    return false;
  }
  rest.remove_prefix(n);
  unsigned __int128 value = 0;
  for (const char c : whole) {
    value = value * 10 + (c - '0');
    if (value > kMax) return false;
  }
  value *= unit->nanoseconds;
  double scale = static_cast<double>(unit->nanoseconds);
  double part = 0;
  for (const char c : fraction.substr(0, 18)) {
    part = part * 10 + (c - '0');
    scale /= 10;
  }
  total += value + static_cast<std::uint64_t>(part * scale);
  return total <= kMax;
}

/// "1.5" of 1500 thousandths: no trailing zeros.
std::string with_fraction(std::uint64_t value, std::uint64_t unit) {
  std::string out = std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return out;
  out += '.';
  while (rest != 0) {
    unit /= 10;
    out += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  return out;
}

}  // namespace

Time Time::of(WallTime wall) { return {floor<std::chrono::seconds>(wall).time_since_epoch().count()}; }

WallTime Time::wall() const {
  constexpr std::int64_t kMost = INT64_MAX / kNano;  // A WallTime ends in 2262.
  return WallTime(std::chrono::seconds(std::clamp(seconds, -kMost, kMost)));
}

Result<Time> Time::parse(std::string_view text) {
  std::int64_t micros = 0;
  TRY_ASSIGN(const std::int64_t seconds, Rfc3339Parser(text, kSecondsLayout).parse(micros));
  return Time{seconds};
}

std::string Time::str() const {
  std::string out;
  append_date_and_time(out, seconds);
  return out += 'Z';
}

MicroTime MicroTime::of(WallTime wall) {
  return {floor<std::chrono::microseconds>(wall).time_since_epoch().count()};
}

WallTime MicroTime::wall() const {
  constexpr std::int64_t kMost = INT64_MAX / 1000;
  return WallTime(std::chrono::microseconds(std::clamp(microseconds, -kMost, kMost)));
}

Result<MicroTime> MicroTime::parse(std::string_view text) {
  std::int64_t micros = 0;
  TRY_ASSIGN(const std::int64_t seconds, Rfc3339Parser(text, kMicroLayout).parse(micros));
  return MicroTime{seconds * kMicro + micros};
}

std::string MicroTime::str() const {
  const std::int64_t micros = ((microseconds % kMicro) + kMicro) % kMicro;
  std::string out;
  append_date_and_time(out, (microseconds - micros) / kMicro);
  fmt::format_to(std::back_inserter(out), ".{:06}Z", micros);
  return out;
}

Result<GoDuration> GoDuration::parse(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return GoDuration{0};
  std::string problem;
  unsigned __int128 total = 0;
  bool ok = !rest.empty();
  while (ok && !rest.empty()) ok = parse_duration_part(rest, total, problem);
  constexpr unsigned __int128 kMax = INT64_MAX;
  if (!ok || (total > kMax && !negative)) {
    if (problem.empty()) problem = "invalid duration";
    return fail(Code::kBadRequest, fmt::format("time: {} \"{}\"", problem, text));
  }
  const auto size = static_cast<std::uint64_t>(total);
  return GoDuration{static_cast<std::int64_t>(negative ? 0 - size : size)};
}

std::string GoDuration::str() const {
  if (nanoseconds == 0) return "0s";
  const bool negative = nanoseconds < 0;
  const auto size = negative ? 0 - static_cast<std::uint64_t>(nanoseconds)
                             : static_cast<std::uint64_t>(nanoseconds);
  const std::string sign = negative ? "-" : "";
  if (size < 1000) return fmt::format("{}{}ns", sign, size);
  if (size < kMicro) return fmt::format("{}{}\u00B5s", sign, with_fraction(size, 1000));
  if (size < kNano) return fmt::format("{}{}ms", sign, with_fraction(size, kMicro));
  const std::uint64_t minutes = size / (60 * kNano);
  const std::string seconds = with_fraction(size % (60 * kNano), kNano);
  if (minutes == 0) return fmt::format("{}{}s", sign, seconds);
  if (minutes < 60) return fmt::format("{}{}m{}s", sign, minutes, seconds);
  return fmt::format("{}{}h{}m{}s", sign, minutes / 60, minutes % 60, seconds);
}

}  // namespace dray
