#include "controllers/cron_schedule.h"

#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace dray::controllers {
namespace {

using namespace std::chrono;

constexpr std::string_view kMonths[] = {"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr int kYearsMax = 5;

struct Field {
  int low, high;
  std::span<const std::string_view> names;
};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t end = text.find_first_of(separators);
    out.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end);
  }
  return out;
}

std::optional<int> number(std::string_view text, const Field& field) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (!field.names[i].empty() && field.names[i] == lower) return static_cast<int>(i);
  }
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// "*", "*/5", "1", "1-5", "1-5/2", "mon".
bool add_range(std::string_view text, const Field& field, std::uint64_t& bits, bool& any) {
  int step = 1;
  const std::size_t slash = text.find('/');
  const std::string_view range = text.substr(0, slash);
  if (slash != std::string_view::npos) {
    const auto parsed = number(text.substr(slash + 1), {1, 99, {}});
    if (!parsed || *parsed < 1) return false;
    step = *parsed;
  }
  int low = field.low, high = field.high;
  if (range == "*" || range == "?") {
    any = any || step == 1;
  } else {
    const std::size_t dash = range.find('-');
    const auto first = number(range.substr(0, dash), field);
    if (!first) return false;
    low = *first;
    high = slash == std::string_view::npos ? low : field.high;
    if (dash != std::string_view::npos) {
      const auto last = number(range.substr(dash + 1), field);
      if (!last) return false;
      high = *last;
    }
  }
  if (low < field.low || high > field.high || low > high) return false;
  for (int i = low; i <= high; i += step) bits |= std::uint64_t{1} << i;
  return true;
}

bool add_field(std::string_view text, const Field& field, std::uint64_t& bits, bool& any) {
  const auto parts = split(text, ",");
  if (parts.empty()) return false;
  for (const std::string_view part : parts) {
    if (!add_range(part, field, bits, any)) return false;
  }
  return true;
}

std::string_view expanded(std::string_view text) {
  if (text == "@yearly" || text == "@annually") return "0 0 1 1 *";
  if (text == "@monthly") return "0 0 1 * *";
  if (text == "@weekly") return "0 0 * * 0";
  if (text == "@daily" || text == "@midnight") return "0 0 * * *";
  if (text == "@hourly") return "0 * * * *";
  return text;
}

bool has(std::uint64_t bits, int index) { return (bits >> index & 1) != 0; }

}  // namespace

std::optional<CronSchedule> CronSchedule::parse(std::string_view text) {
  CronSchedule out;
  constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const auto span = GoDuration::parse(text.substr(kEvery.size()));
    if (!span) return std::nullopt;
    out.every_seconds_ = std::max<std::int64_t>(1, span->nanoseconds / 1'000'000'000);
    return out;
  }
  const auto fields = split(expanded(text), " \t");
  if (fields.size() != 5) return std::nullopt;
  bool ignored = false;
  const bool fits = add_field(fields[0], {0, 59, {}}, out.minutes_, ignored) &&
                    add_field(fields[1], {0, 23, {}}, out.hours_, ignored) &&
                    add_field(fields[2], {1, 31, {}}, out.days_, out.any_day_) &&
                    add_field(fields[3], {1, 12, kMonths}, out.months_, ignored) &&
                    add_field(fields[4], {0, 6, kWeekdays}, out.weekdays_, out.any_weekday_);
  if (!fits) return std::nullopt;
  return out;
}

/// Where both the day and the weekday are given, either will do.
bool CronSchedule::day_fits(int day, int month, int weekday) const {
  if (!has(months_, month)) return false;
  const bool by_day = has(days_, day), by_weekday = has(weekdays_, weekday);
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

Time CronSchedule::next(Time after) const {
  if (every_seconds_ > 0) return Time{after.seconds + every_seconds_};
  const sys_seconds from{seconds(after.seconds)};
  sys_days day = floor<days>(from);
  const sys_days last = day + days(366 * kYearsMax);
  minutes first = floor<minutes>(from - day) + minutes(1);
  for (; day <= last; day += days(1), first = minutes(0)) {
    const year_month_day date(day);
    const int month = static_cast<int>(static_cast<unsigned>(date.month()));
    const int in_month = static_cast<int>(static_cast<unsigned>(date.day()));
    if (!day_fits(in_month, month, static_cast<int>(weekday(day).c_encoding()))) continue;
    for (int minute = static_cast<int>(first.count()); minute < 24 * 60; ++minute) {
      if (has(hours_, minute / 60) && has(minutes_, minute % 60)) {
        return Time{duration_cast<seconds>((day + minutes(minute)).time_since_epoch()).count()};
      }
    }
  }
  return {};
}

}  // namespace dray::controllers
