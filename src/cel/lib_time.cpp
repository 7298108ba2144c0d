#include "cel/lib_time.h"

#include <charconv>

#include <fmt/format.h>

#include "cel/text.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

bool integer(std::string_view text, std::int64_t& out) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// The offset of "America/New_York", "-08:00" or "" (UTC). A failed value says what is wrong.
Val offset_in(Eval& eval, std::string_view zone, std::int64_t seconds, std::int64_t& offset) {
  const auto colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone_offset(zone, seconds, offset)) return {};
    return eval.fail(fmt::format("unknown time zone {}", zone));
  }
  std::int64_t hours = 0, minutes = 0;
  for (const auto& [text, number] : {std::pair{zone.substr(0, colon), &hours},
                                     std::pair{zone.substr(colon + 1), &minutes}})
    if (!integer(text, *number))
      return eval.fail(
          fmt::format("strconv.Atoi: parsing {}: invalid syntax", go_quote(text)));
  offset = (hours * 60 + (zone.starts_with('-') ? -minutes : minutes)) * 60;
  return {};
}

enum class Field { kYear, kMonth, kYearDay, kDay0, kDay1, kWeekday, kHour, kMinute, kSecond, kMilli };

template <Field Which>
Val get(Eval& eval, Args a) {
  if (!a[0].is(ValKind::kTimestamp)) return maybe_no_such_overload(a[0]);
  std::int64_t offset = 0;
  if (a.size() > 1) {
    if (!a[1].is(ValKind::kString)) return maybe_no_such_overload(a[1]);
    if (const Val error = offset_in(eval, a[1].text(), a[0].integer, offset); error.failed())
      return error;
  }
  const Civil c = civil(a[0].integer, offset);
  switch (Which) {
    case Field::kYear: return Val::of_int(c.year);
    case Field::kMonth: return Val::of_int(c.month - 1);
    case Field::kYearDay: return Val::of_int(c.year_day);
    case Field::kDay0: return Val::of_int(c.day - 1);
    case Field::kDay1: return Val::of_int(c.day);
    case Field::kWeekday: return Val::of_int(c.weekday);
    case Field::kHour: return Val::of_int(c.hour);
    case Field::kMinute: return Val::of_int(c.minute);
    case Field::kSecond: return Val::of_int(c.second);
    case Field::kMilli: return Val::of_int(a[0].nanos / 1'000'000);
  }
  return {};
}

template <std::int64_t Unit>
Val whole(Eval&, Args a) {
  if (!a[0].is(ValKind::kDuration)) return maybe_no_such_overload(a[0]);
  return Val::of_int(a[0].integer / Unit);
}

}  // namespace

void add_time(Environment& env) {
  const TypeRef time = &types::kTimestamp, text = &types::kString, number = &types::kInt,
                duration = &types::kDuration;
  struct Getter {
    const char* function;
    const char* overload;
    const char* with_zone;
    Fn fn;
  };
  const Getter getters[] = {
      {"getFullYear", "timestamp_to_year", "timestamp_to_year_with_tz", get<Field::kYear>},
      {"getMonth", "timestamp_to_month", "timestamp_to_month_with_tz", get<Field::kMonth>},
      {"getDayOfYear", "timestamp_to_day_of_year", "timestamp_to_day_of_year_with_tz",
       get<Field::kYearDay>},
      {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp_to_day_of_month_with_tz",
       get<Field::kDay0>},
      {"getDate", "timestamp_to_day_of_month_1_based", "timestamp_to_day_of_month_1_based_with_tz",
       get<Field::kDay1>},
      {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp_to_day_of_week_with_tz",
       get<Field::kWeekday>},
      {"getHours", "timestamp_to_hours", "timestamp_to_hours_with_tz", get<Field::kHour>},
      {"getMinutes", "timestamp_to_minutes", "timestamp_to_minutes_with_tz", get<Field::kMinute>},
      {"getSeconds", "timestamp_to_seconds", "timestamp_to_seconds_tz", get<Field::kSecond>},
      {"getMilliseconds", "timestamp_to_milliseconds", "timestamp_to_milliseconds_with_tz",
       get<Field::kMilli>},
  };
  for (const Getter& g : getters)
    env.declare(g.function)
        .member(g.overload, {time}, number, g.fn)
        .member(g.with_zone, {time, text}, number, g.fn);
  env.declare("getHours").member("duration_to_hours", {duration}, number, whole<3'600'000'000'000>);
  env.declare("getMinutes").member("duration_to_minutes", {duration}, number, whole<60'000'000'000>);
  env.declare("getSeconds").member("duration_to_seconds", {duration}, number, whole<1'000'000'000>);
  env.declare("getMilliseconds")
      .member("duration_to_milliseconds", {duration}, number, whole<1'000'000>);
}

}  // namespace dray::cel
