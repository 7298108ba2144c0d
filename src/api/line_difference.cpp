#include "api/line_difference.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace dray::api {
namespace {

constexpr int kContext = 3;
/// In texts of that many lines, frequent ones do not start a match.
constexpr int kFrequentFrom = 200;

using Lines = std::vector<std::string>;

void print_indented(const Value& value, int depth, std::string& out) {
  const auto line = [&](int indent) {
    out += '\n';
    out.append(static_cast<std::size_t>(indent), ' ');
  };
  bool first = true;
  if (value.is_map() && !value.as_map().empty()) {
    out += '{';
    for (const auto& [name, member] : value.as_map()) {
      if (!std::exchange(first, false)) out += ',';
      line(depth + 1);
      append_json_string(out, name);
      out += ": ";
      print_indented(member, depth + 1, out);
    }
    line(depth);
    out += '}';
  } else if (value.is_list() && !value.as_list().empty()) {
    out += '[';
    for (const Value& element : value.as_list()) {
      if (!std::exchange(first, false)) out += ',';
      line(depth + 1);
      print_indented(element, depth + 1, out);
    }
    line(depth);
    out += ']';
  } else {
    out += print_json(value);
  }
}

Lines lines_of(const Value& value) {
  std::string text;
  print_indented(value, 0, text);
  Lines out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// Lines [before, before + size) are lines [after, after + size).
struct Match {
  int before = 0, after = 0, size = 0;
};

/// A step from one text to the other: what is between two matches, or a match.
struct Step {
  bool same = false;
  int before = 0, before_end = 0, after = 0, after_end = 0;
};

class Matcher {
 public:
  Matcher(const Lines& before, const Lines& after) : a_(before), b_(after) {
    for (int i = 0; i < std::ssize(b_); ++i) places_[b_[i]].push_back(i);
    const auto size = std::ssize(b_);
    if (size >= kFrequentFrom)
      std::erase_if(places_, [&](const auto& place) { return std::ssize(place.second) > size / 100 + 1; });
  }

  [[nodiscard]] std::vector<Step> steps() {
    collect(0, static_cast<int>(a_.size()), 0, static_cast<int>(b_.size()));
    matches_.push_back({static_cast<int>(a_.size()), static_cast<int>(b_.size()), 0});
    std::vector<Step> out;
    int i = 0, j = 0;
    for (const Match& match : joined()) {
      if (i < match.before || j < match.after) out.push_back({false, i, match.before, j, match.after});
      i = match.before + match.size;
      j = match.after + match.size;
      if (match.size > 0) out.push_back({true, match.before, i, match.after, j});
    }
    return out;
  }

 private:
  /// The longest block in the ranges that is in both; the first of several.
  [[nodiscard]] Match longest(int a_low, int a_high, int b_low, int b_high) const {
    Match best{a_low, b_low, 0};
    std::unordered_map<int, int> lengths;  // of the block that ends at a line of `after`
    for (int i = a_low; i < a_high; ++i) {
      std::unordered_map<int, int> now;
      if (const auto found = places_.find(a_[i]); found != places_.end()) {
        for (const int j : found->second) {
          if (j < b_low) continue;
          if (j >= b_high) break;
          const auto previous = lengths.find(j - 1);
          const int size = (previous == lengths.end() ? 0 : previous->second) + 1;
          now[j] = size;
          if (size > best.size) best = {i - size + 1, j - size + 1, size};
        }
      }
      lengths = std::move(now);
    }
    while (best.before > a_low && best.after > b_low && a_[best.before - 1] == b_[best.after - 1]) {
      --best.before;
      --best.after;
      ++best.size;
    }
    while (best.before + best.size < a_high && best.after + best.size < b_high &&
           a_[best.before + best.size] == b_[best.after + best.size]) {
      ++best.size;
    }
    return best;
  }

  void collect(int a_low, int a_high, int b_low, int b_high) {
    const Match match = longest(a_low, a_high, b_low, b_high);
    if (match.size == 0) return;
    if (a_low < match.before && b_low < match.after) collect(a_low, match.before, b_low, match.after);
    matches_.push_back(match);
    const int a_next = match.before + match.size, b_next = match.after + match.size;
    if (a_next < a_high && b_next < b_high) collect(a_next, a_high, b_next, b_high);
  }

  [[nodiscard]] std::vector<Match> joined() const {
    std::vector<Match> out;
    for (const Match& match : matches_) {
      if (!out.empty() && match.size > 0 && out.back().before + out.back().size == match.before &&
          out.back().after + out.back().size == match.after) {
        out.back().size += match.size;
      } else {
        out.push_back(match);
      }
    }
    return out;
  }

  const Lines& a_;
  const Lines& b_;
  std::unordered_map<std::string_view, std::vector<int>> places_;  // of the lines of `after`
  std::vector<Match> matches_;
};

/// Steps with at most `kContext` equal lines around changes, those that are near each other together.
std::vector<std::vector<Step>> grouped(std::vector<Step> steps) {
  if (Step& first = steps.front(); first.same) {
    first.before = std::max(first.before, first.before_end - kContext);
    first.after = std::max(first.after, first.after_end - kContext);
  }
  if (Step& last = steps.back(); last.same) {
    last.before_end = std::min(last.before_end, last.before + kContext);
    last.after_end = std::min(last.after_end, last.after + kContext);
  }
  std::vector<std::vector<Step>> out(1);
  for (Step step : steps) {
    if (step.same && step.before_end - step.before > 2 * kContext) {
      out.back().push_back({true, step.before, std::min(step.before_end, step.before + kContext), step.after,
                            std::min(step.after_end, step.after + kContext)});
      out.emplace_back();
      step.before = std::max(step.before, step.before_end - kContext);
      step.after = std::max(step.after, step.after_end - kContext);
    }
    out.back().push_back(step);
  }
  return out;
}

std::string range(int begin, int end) {
  const int size = end - begin;
  if (size == 1) return std::to_string(begin + 1);
  return fmt::format("{},{}", size == 0 ? begin : begin + 1, size);
}

}  // namespace

std::string line_difference(const Value& before, const Value& after) {
  const Lines a = lines_of(before), b = lines_of(after);
  if (a == b) return "";
  std::string out;
  const auto print = [&out](char mark, const Lines& lines, int begin, int end) {
    for (int i = begin; i < end; ++i) out += fmt::format("{}{}\n", mark, lines[i]);
  };
  for (const std::vector<Step>& group : grouped(Matcher(a, b).steps())) {
    if (group.size() == 1 && group.front().same) continue;
    out += fmt::format("@@ -{} +{} @@\n", range(group.front().before, group.back().before_end),
                       range(group.front().after, group.back().after_end));
    for (const Step& step : group) {
      if (step.same) {
        print(' ', a, step.before, step.before_end);
      } else {
        print('-', a, step.before, step.before_end);
        print('+', b, step.after, step.after_end);
      }
    }
  }
  return out;
}

}  // namespace dray::api
