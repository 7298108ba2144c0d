/// When a cron schedule is due, in UTC. A value.
/// Source: github.com/robfig/cron (the standard five fields, @hourly and its like, @every).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "machinery/time.h"

namespace dray::controllers {

class CronSchedule {
 public:
  /// Nothing for a text that is no schedule, or that names a time zone.
  [[nodiscard]] static std::optional<CronSchedule> parse(std::string_view text);
  /// The first time after `after`; zero if there is none within five years.
  [[nodiscard]] Time next(Time after) const;

 private:
  [[nodiscard]] bool day_fits(int day, int month, int weekday) const;

  std::int64_t every_seconds_ = 0;  // of @every; else:
  std::uint64_t minutes_ = 0, hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  bool any_day_ = false, any_weekday_ = false;
};

}  // namespace dray::controllers
