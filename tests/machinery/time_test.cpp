#include "machinery/time.h"

#include <string>

#include <gtest/gtest.h>

namespace dray {
namespace {

using std::chrono::milliseconds;

TEST(Time, ReadsRfc3339AndPrintsUtc) {
  const std::pair<const char*, const char*> cases[] = {
      {"2026-11-30T18:30:00Z", "2026-11-30T18:30:00Z"},
      {"2026-11-30T18:30:00.999Z", "2026-11-30T18:30:00Z"},
      {"2026-11-30T18:30:00+00:00", "2026-11-30T18:30:00Z"},
      {"2026-11-30T18:30:00+05:30", "2026-11-30T13:00:00Z"},
      {"2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z"},
      {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
      {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
  };
  for (const auto& [text, want] : cases) {
    const auto parsed = Time::parse(text);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(parsed->str(), want) << text;
  }
}

TEST(Time, RefusesWithGosTexts) {
  const std::string layout = "\" as \"2006-01-02T15:04:05Z07:00\": ";
  const std::pair<std::string, std::string> cases[] = {
      {"", "parsing time \"" + layout + "cannot parse \"\" as \"2006\""},
      {"yesterday", "parsing time \"yesterday" + layout + "cannot parse \"yesterday\" as \"2006\""},
      {"2026-11-30", "parsing time \"2026-11-30" + layout + "cannot parse \"\" as \"T\""},
      {"2026-13-30T00:00:00Z", "parsing time \"2026-13-30T00:00:00Z\": month out of range"},
      {"2026-02-30T00:00:00Z", "parsing time \"2026-02-30T00:00:00Z\": day out of range"},
      {"2026-02-03T24:00:00Z", "parsing time \"2026-02-03T24:00:00Z\": hour out of range"},
      {"2026-02-03T04:05:06", "parsing time \"2026-02-03T04:05:06" + layout + "cannot parse \"\" as \"Z07:00\""},
      {"2026-02-03T04:05:06Zx", "parsing time \"2026-02-03T04:05:06Zx\": extra text: \"x\""},
  };
  for (const auto& [text, want] : cases) {
    const auto parsed = Time::parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().message, want);
  }
}

TEST(MicroTime, NeedsSixDigits) {
  EXPECT_EQ(MicroTime::parse("2026-11-30T18:30:00.000001Z")->str(), "2026-11-30T18:30:00.000001Z");
  EXPECT_EQ(MicroTime::parse("1969-12-31T23:59:59.250000Z")->microseconds, -750000);
  EXPECT_EQ(MicroTime::parse("1969-12-31T23:59:59.250000Z")->str(), "1969-12-31T23:59:59.250000Z");
  EXPECT_EQ(MicroTime::parse("2026-11-30T18:30:00Z").error().message,
            "parsing time \"2026-11-30T18:30:00Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse "
            "\"Z\" as \".000000\"");
}

TEST(Time, ConvertsToWallTimeAndBack) {
  const Time time = *Time::parse("2026-11-30T18:30:01Z");
  EXPECT_EQ(Time::of(time.wall() + milliseconds(999)), time);
  EXPECT_EQ(Time::of(Time{-1}.wall() + milliseconds(1)), Time{-1});
  const MicroTime micro{1234567890123456};
  EXPECT_EQ(MicroTime::of(micro.wall()), micro);
  EXPECT_TRUE(Time{}.is_zero());
}

TEST(GoDuration, ReadsAndPrintsAsGo) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0s"},         {"1h2m3.5s", "1h2m3.5s"}, {"90m", "1h30m0s"},   {"-1.5h", "-1h30m0s"},
      {"100ms", "100ms"},  {"1.5us", "1.5\u00B5s"},  {"1ns", "1ns"},       {"60s", "1m0s"},
      {"1h", "1h0m0s"},    {"+5s", "5s"},            {".5s", "500ms"},     {"1.000000001s", "1.000000001s"},
      {"2562047h47m16.854775807s", "2562047h47m16.854775807s"},
      {"-2562047h47m16.854775808s", "-2562047h47m16.854775808s"},
  };
  for (const auto& [text, want] : cases) {
    const auto parsed = GoDuration::parse(text);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(parsed->str(), want) << text;
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"", "time: invalid duration \"\""},
      {"x", "time: invalid duration \"x\""},
      {"1", "time: missing unit in duration \"1\""},
      {"1x", "time: unknown unit \"x\" in duration \"1x\""},
      {"3000000h", "time: invalid duration \"3000000h\""},
      {"2562047h47m16.854775808s", "time: invalid duration \"2562047h47m16.854775808s\""},
      {".s", "time: invalid duration \".s\""},
  };
  for (const auto& [text, want] : wrong) {
    const auto parsed = GoDuration::parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().message, want);
  }
}

}  // namespace
}  // namespace dray
