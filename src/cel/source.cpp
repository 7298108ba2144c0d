#include "cel/source.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::cel {
namespace {

constexpr std::size_t kSnippetMax = 16384;

std::string display_one(const Issue& issue, const Source& source) {
  std::string out = fmt::format("ERROR: {}:{}:{}: {}", source.description(), issue.at.line,
                                issue.at.column + 1, issue.message);
  std::string line;
  if (!source.line(issue.at.line, line) || line.size() > kSnippetMax) return out;
  std::replace(line.begin(), line.end(), '\t', ' ');
  out += "\n | " + line + "\n | ";
  std::size_t at = 0;
  for (int i = 0; i < issue.at.column && at < line.size(); ++i) {
    const std::size_t before = at;
    next_rune(line, at);
    out += at - before > 1 ? "\uff0e" : ".";
  }
  const std::size_t before = at;
  if (at < line.size()) next_rune(line, at);
  out += at - before > 1 ? "\uff3e" : "^";
  return out;
}

}  // namespace

Source::Source(std::string_view text, std::string description)
    : runes_(to_runes(text)), description_(std::move(description)) {
  for (std::size_t i = 0; i < runes_.size(); ++i)
    if (runes_[i] == U'\n') line_starts_.push_back(static_cast<int>(i) + 1);
}

std::string Source::slice(int from, int to) const {
  std::string out;
  for (int i = from; i < to && i < size(); ++i) append_utf8(out, at(i));
  return out;
}

Location Source::location(int offset) const {
  if (offset < 0) return {};
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const int line = static_cast<int>(next - line_starts_.begin()) + 1;
  return {line, next == line_starts_.begin() ? offset : offset - *(next - 1)};
}

int Source::offset(Location location) const {
  if (location.line < 1) return -1;
  if (location.line == 1) return location.column;
  const auto index = static_cast<std::size_t>(location.line) - 2;
  return index < line_starts_.size() ? line_starts_[index] + location.column : -1;
}

bool Source::line(int number, std::string& text) const {
  if (number < 1 || static_cast<std::size_t>(number) > line_starts_.size() + 1 || size() == 0)
    return false;
  const auto index = static_cast<std::size_t>(number);
  const int from = number == 1 ? 0 : line_starts_[index - 2];
  const int to = index - 1 < line_starts_.size() ? line_starts_[index - 1] - 1 : size();
  text = slice(from, to);
  return true;
}

void Issues::add(Location at, std::string message) {
  if (++total_ <= kMax) issues_.push_back({at, std::move(message)});
}

void Issues::clear() {
  issues_.clear();
  total_ = 0;
}

std::string Issues::display(const Source& source) const {
  std::vector<Issue> sorted = issues_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Issue& a, const Issue& b) { return a.at < b.at; });
  std::string out;
  for (const Issue& issue : sorted) {
    if (!out.empty()) out += '\n';
    out += display_one(issue, source);
  }
  if (total_ > kMax) out += fmt::format("\n{} more errors were truncated", total_ - kMax);
  return out;
}

void append_utf8(std::string& out, char32_t rune) {
  if (rune > 0x10FFFF || (rune >= 0xD800 && rune < 0xE000)) rune = 0xFFFD;
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (rune < 0x80) {
    put(rune);
  } else if (rune < 0x800) {
    put(0xC0 | rune >> 6), put(0x80 | (rune & 0x3F));
  } else if (rune < 0x10000) {
    put(0xE0 | rune >> 12), put(0x80 | (rune >> 6 & 0x3F)), put(0x80 | (rune & 0x3F));
  } else {
    put(0xF0 | rune >> 18), put(0x80 | (rune >> 12 & 0x3F)), put(0x80 | (rune >> 6 & 0x3F)),
        put(0x80 | (rune & 0x3F));
  }
}

char32_t next_rune(std::string_view text, std::size_t& at) {
  constexpr char32_t kBad = 0xFFFD;
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned first = byte(at);
  const auto tail = [&](std::size_t i) { return (byte(at + i) & 0xC0) == 0x80; };
  const auto bits = [&](std::size_t i) -> char32_t { return byte(at + i) & 0x3F; };
  if (first < 0x80) return ++at, first;
  if (first >= 0xC2 && first < 0xE0 && tail(1)) {
    const char32_t rune = (first & 0x1Fu) << 6 | bits(1);
    return at += 2, rune;
  }
  if (first >= 0xE0 && first < 0xF0 && tail(1) && tail(2)) {
    const char32_t rune = (first & 0x0Fu) << 12 | bits(1) << 6 | bits(2);
    if (rune >= 0x800 && (rune < 0xD800 || rune >= 0xE000)) return at += 3, rune;
  }
  if (first >= 0xF0 && first < 0xF5 && tail(1) && tail(2) && tail(3)) {
    const char32_t rune = (first & 0x07u) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3);
    if (rune >= 0x10000 && rune <= 0x10FFFF) return at += 4, rune;
  }
  return ++at, kBad;
}

std::size_t rune_count(std::string_view text) {
  std::size_t count = 0;
  bool ascii = true;
  for (const char c : text) ascii = ascii && static_cast<signed char>(c) >= 0;
  if (ascii) return text.size();
  for (std::size_t at = 0; at < text.size(); ++count) next_rune(text, at);
  return count;
}

std::u32string to_runes(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) out += next_rune(text, at);
  return out;
}

bool valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t before = at;
    if (next_rune(text, at) == 0xFFFD && at - before == 1) return false;
  }
  return true;
}

}  // namespace dray::cel
