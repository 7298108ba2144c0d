/// The five fields of a cron schedule. Grammar and texts: github.com/robfig/cron/v3.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include <fmt/core.h>

#include "api/batch_validate.h"
#include "machinery/time.h"
#include "machinery/validate.h"

namespace dray::api {
namespace {

struct Bounds {
  unsigned low, high;
  std::array<std::string_view, 12> names;  // of the values from `low` on
};

constexpr std::array<Bounds, 5> kFields = {{
    {0, 59, {}},
    {0, 23, {}},
    {1, 31, {}},
    {1, 12, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
    {0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// The number, or the problem with it.
std::string parse_number(std::string_view text, unsigned& out) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: invalid syntax", text, go_quoted(text));
  if (number < 0) return fmt::format("negative number ({}) not allowed: {}", number, text);
  out = static_cast<unsigned>(number);
  return {};
}

std::string parse_value(std::string_view text, const Bounds& bounds, unsigned& out) {
  const std::string name = lower(text);
  for (unsigned i = 0; i < bounds.names.size(); ++i) {
    if (bounds.names[i].empty() || bounds.names[i] != name) continue;
    out = bounds.low + i;
    return {};
  }
  return parse_number(text, out);
}

/// "*", "5", "1-5", "*/10", "1-30/2".
std::string range_problem(std::string_view text, const Bounds& bounds) {
  const auto slash = text.find('/');
  const std::string_view range = text.substr(0, slash);
  const auto dash = range.find('-');
  unsigned start = bounds.low, end = bounds.high, step = 1;
  if (range == "*" || range == "?") {
    // all of them
  } else {
    if (std::string problem = parse_value(range.substr(0, dash), bounds, start); !problem.empty()) return problem;
    end = start;
    if (dash != std::string_view::npos) {
      if (range.find('-', dash + 1) != std::string_view::npos) return fmt::format("too many hyphens: {}", text);
      if (std::string problem = parse_value(range.substr(dash + 1), bounds, end); !problem.empty()) return problem;
    }
  }
  if (slash != std::string_view::npos) {
    if (text.find('/', slash + 1) != std::string_view::npos) return fmt::format("too many slashes: {}", text);
    if (std::string problem = parse_number(text.substr(slash + 1), step); !problem.empty()) return problem;
    if (dash == std::string_view::npos) end = bounds.high;
  }
  if (start < bounds.low)
    return fmt::format("beginning of range ({}) below minimum ({}): {}", start, bounds.low, text);
  if (end > bounds.high) return fmt::format("end of range ({}) above maximum ({}): {}", end, bounds.high, text);
  if (start > end) return fmt::format("beginning of range ({}) beyond end of range ({}): {}", start, end, text);
  if (step == 0) return fmt::format("step of range should be a positive number: {}", text);
  return {};
}

std::string field_problem(std::string_view text, const Bounds& bounds) {
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    if (!part.empty())
      if (std::string problem = range_problem(part, bounds); !problem.empty()) return problem;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return {};
}

std::string descriptor_problem(std::string_view text) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"})
    if (text == known) return {};
  static constexpr std::string_view kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const auto duration = GoDuration::parse(text.substr(kEvery.size()));
    if (duration) return {};
    return fmt::format("failed to parse duration {}: {}", text, duration.error().message);
  }
  return fmt::format("unrecognized descriptor: {}", text);
}

}  // namespace

std::string cron_problem(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with('@')) return descriptor_problem(schedule);
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < schedule.size();) {
    const auto from = schedule.find_first_not_of(" \t\n", i);
    if (from == std::string_view::npos) break;
    const auto to = std::min(schedule.find_first_of(" \t\n", from), schedule.size());
    fields.push_back(schedule.substr(from, to - from));
    i = to;
  }
  if (fields.size() != kFields.size()) {
    std::string list;
    for (const std::string_view field : fields) list += fmt::format("{}{}", list.empty() ? "" : " ", field);
    return fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), list);
  }
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (std::string problem = field_problem(fields[i], kFields[i]); !problem.empty()) return problem;
  return {};
}

}  // namespace dray::api
