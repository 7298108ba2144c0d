/// Numbers, strings and values as Go writes them: error texts and conversions quote them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cel/val.h"

namespace dray::cel {

class Eval;

/// strconv.Quote.
[[nodiscard]] std::string go_quote(std::string_view text);
/// %g and %v of a float64, shortest: "1e+06", "0.5", "NaN", "+Inf".
[[nodiscard]] std::string go_double(double number);
/// strconv.FormatFloat(x, 'f', -1, 64): all digits, no exponent.
[[nodiscard]] std::string go_double_plain(double number);
/// RFC 3339 with as many digits of the fraction as needed.
[[nodiscard]] std::string timestamp_text(const Val& timestamp, bool utc = false);
/// Seconds as a plain decimal number, with "s".
[[nodiscard]] std::string duration_text(std::int64_t nanoseconds);
/// Go's time.Duration: "1h2m3.5s".
[[nodiscard]] std::string go_duration_text(std::int64_t nanoseconds);
/// %v of a value: what error texts of the evaluation quote.
[[nodiscard]] std::string display(Eval& eval, const Val& v);

/// Civil time of a timestamp in its zone of `offset` seconds.
struct Civil {
  std::int64_t year;
  int month, day, hour, minute, second, weekday, year_day;  // month from 1, weekday 0 = Sunday
};
[[nodiscard]] Civil civil(std::int64_t seconds, std::int64_t offset);
/// Days since 1970 of a date.
[[nodiscard]] std::int64_t days_of(std::int64_t year, int month, int day);

}  // namespace dray::cel
