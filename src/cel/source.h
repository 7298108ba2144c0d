/// The text of an expression as code points, places in it, and what is wrong there.
/// Source: cel-go common (source, location, errors).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

/// Lines count from 1, columns (in code points) from 0. The default is no place at all.
struct Location {
  int line = -1;
  int column = -1;
  auto operator<=>(const Location&) const = default;
};

/// Immutable. Bytes that are no UTF-8 become U+FFFD.
class Source {
 public:
  explicit Source(std::string_view text, std::string description = "<input>");

  [[nodiscard]] int size() const { return static_cast<int>(runes_.size()); }
  [[nodiscard]] char32_t at(int offset) const { return runes_[static_cast<std::size_t>(offset)]; }
  [[nodiscard]] std::string slice(int from, int to) const;
  [[nodiscard]] const std::string& description() const { return description_; }

  [[nodiscard]] Location location(int offset) const;
  [[nodiscard]] int offset(Location location) const;
  /// The text of a line; false if there is none.
  [[nodiscard]] bool line(int number, std::string& text) const;

 private:
  std::u32string runes_;
  std::vector<int> line_starts_;  // of the second line, the third, ...
  std::string description_;
};

struct Issue {
  Location at;
  std::string message;
};

/// Collects what is wrong with an expression. The text is the one that cel-go shows.
class Issues {
 public:
  void add(Location at, std::string message);
  [[nodiscard]] bool empty() const { return total_ == 0; }
  [[nodiscard]] const std::vector<Issue>& all() const { return issues_; }
  void clear();
  /// Sorted by place, each with its line and a caret.
  [[nodiscard]] std::string display(const Source& source) const;

 private:
  static constexpr std::size_t kMax = 100;
  std::vector<Issue> issues_;
  std::size_t total_ = 0;
};

/// Appends a code point as UTF-8; surrogates and what is beyond Unicode as U+FFFD.
void append_utf8(std::string& out, char32_t rune);
/// Reads one code point at `at` and moves on; an invalid byte is U+FFFD of size 1.
char32_t next_rune(std::string_view text, std::size_t& at);
/// How many code points.
[[nodiscard]] std::size_t rune_count(std::string_view text);
[[nodiscard]] std::u32string to_runes(std::string_view text);
[[nodiscard]] bool valid_utf8(std::string_view text);

}  // namespace dray::cel
