#include <algorithm>

#include <fmt/format.h>

#include "cel/format_string.h"
#include "cel/libraries.h"
#include "cel/ops.h"
#include "cel/source.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

using Args = std::span<const Val>;

std::string to_utf8(std::u32string_view runes) {
  std::string out;
  for (const char32_t r : runes) append_utf8(out, r);
  return out;
}

Val out_of_range(Eval& e, std::int64_t index) {
  return e.fail(fmt::format("index out of range: {}", index));
}

Val char_at(Eval& e, Args a) {
  const std::u32string runes = to_runes(a[0].text());
  const std::int64_t i = a[1].integer, size = static_cast<std::int64_t>(runes.size());
  if (i < 0 || i > size) return out_of_range(e, i);
  if (i == size) return Val::of_string("");
  return e.string(to_utf8(runes.substr(static_cast<std::size_t>(i), 1)));
}

Val index_of(Eval& e, Args a) {
  const std::u32string text = to_runes(a[0].text()), part = to_runes(a[1].text());
  const std::int64_t from = a.size() > 2 ? a[2].integer : 0;
  const auto size = static_cast<std::int64_t>(text.size());
  if (from < 0) return out_of_range(e, from);
  if (part.empty()) return Val::of_int(std::min(from, size));
  if (from >= size) return Val::of_int(-1);
  e.work(text.size());
  const auto at = text.find(part, static_cast<std::size_t>(from));
  return Val::of_int(at == std::u32string::npos ? -1 : static_cast<std::int64_t>(at));
}

Val last_index_of(Eval& e, Args a) {
  const std::u32string text = to_runes(a[0].text()), part = to_runes(a[1].text());
  const auto size = static_cast<std::int64_t>(text.size());
  if (a.size() == 2) {
    if (part.empty()) return Val::of_int(size);
    if (a[0].size < a[1].size) return Val::of_int(-1);
  }
  const std::int64_t from = a.size() > 2 ? a[2].integer : size - 1;
  if (from < 0) return out_of_range(e, from);
  if (part.empty()) return Val::of_int(std::min(from, size));
  if (from >= size || part.size() > text.size()) return Val::of_int(-1);
  e.work(text.size());
  const auto at = text.rfind(part, static_cast<std::size_t>(from));
  return Val::of_int(at == std::u32string::npos ? -1 : static_cast<std::int64_t>(at));
}

template <char First, char Last, int Shift>
Val shift_case(Eval& e, Args a) {
  // As the reference, through code points: invalid bytes become U+FFFD.
  std::string out;
  for (std::size_t at = 0; at < a[0].size;) {
    char32_t r = next_rune(a[0].text(), at);
    if (r >= static_cast<char32_t>(First) && r <= static_cast<char32_t>(Last))
      r = static_cast<char32_t>(static_cast<int>(r) + Shift);
    append_utf8(out, r);
  }
  return e.string(out);
}

/// strings.Replace: at most `limit` times if it is not negative.
std::string replaced(Eval& e, std::string_view text, std::string_view from, std::string_view to,
                     std::int64_t limit) {
  std::string out;
  std::size_t at = 0;
  std::int64_t count = 0;
  const auto more = [&] { return limit < 0 || count < limit; };
  if (from.empty()) {
    while (more()) {
      out += to;
      ++count;
      if (at >= text.size()) break;
      const std::size_t before = at;
      next_rune(text, at);
      out += text.substr(before, at - before);
      e.work(1 + to.size() / 16);
    }
    return out + std::string(text.substr(at));
  }
  for (auto found = text.find(from); found != std::string_view::npos && more();
       found = text.find(from, at)) {
    out += text.substr(at, found - at);
    out += to;
    at = found + from.size();
    ++count;
    e.work(1 + to.size() / 16);
  }
  return out + std::string(text.substr(at));
}

Val replace(Eval& e, Args a) {
  const std::int64_t limit = a.size() > 3 ? a[3].integer : -1;
  return e.string(replaced(e, a[0].text(), a[1].text(), a[2].text(), limit));
}

/// strings.SplitN: with a limit of 0 nothing, with a negative one all.
Val split(Eval& e, Args a) {
  std::string_view text = a[0].text();
  const std::string_view separator = a[1].text();
  const std::int64_t limit = a.size() > 2 ? a[2].integer : -1;
  std::vector<Val> parts;
  if (limit == 0) return e.list_of(parts);
  const auto full = [&] { return limit > 0 && static_cast<std::int64_t>(parts.size()) + 1 >= limit; };
  if (separator.empty()) {
    std::size_t at = 0;
    while (at < text.size() && !full()) {
      const std::size_t before = at;
      next_rune(text, at);
      parts.push_back(Val::of_string(text.substr(before, at - before)));
      e.work(1);
    }
    if (at < text.size()) parts.push_back(Val::of_string(text.substr(at)));
    return e.list_of(parts);
  }
  for (auto at = text.find(separator); at != std::string_view::npos && !full();
       at = text.find(separator)) {
    parts.push_back(Val::of_string(text.substr(0, at)));
    text.remove_prefix(at + separator.size());
    e.work(1);
  }
  parts.push_back(Val::of_string(text));
  return e.list_of(parts);
}

Val substring(Eval& e, Args a) {
  const std::u32string runes = to_runes(a[0].text());
  const auto size = static_cast<std::int64_t>(runes.size());
  const std::int64_t start = a[1].integer, end = a.size() > 2 ? a[2].integer : size;
  if (a.size() > 2 && start > end)
    return e.fail(fmt::format("invalid substring range. start: {}, end: {}", start, end));
  if (start < 0 || start > size) return out_of_range(e, start);
  if (end < 0 || end > size) return out_of_range(e, end);
  return e.string(to_utf8(std::u32string_view(runes).substr(
      static_cast<std::size_t>(start), static_cast<std::size_t>(end - start))));
}

bool is_space(char32_t r) {
  switch (r) {
    case '\t': case '\n': case '\v': case '\f': case '\r': case ' ':
    case 0x85: case 0xA0: case 0x1680: case 0x2028: case 0x2029: case 0x202F: case 0x205F:
    case 0x3000: return true;
    default: return r >= 0x2000 && r <= 0x200A;
  }
}

Val trim(Eval&, Args a) {
  const std::string_view text = a[0].text();
  std::size_t start = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t before = at;
    if (is_space(next_rune(text, at))) continue;
    start = std::min(start, before);
    end = at;
  }
  return Val::of_string(start < end ? text.substr(start, end - start) : std::string_view(""));
}

Val quote(Eval& e, Args a) {
  std::string out = "\"";
  constexpr std::string_view kFrom = "\a\b\f\n\r\t\v\\\"", kTo = "abfnrtv\\\"";
  for (std::size_t at = 0; at < a[0].size;) {
    const char32_t r = next_rune(a[0].text(), at);
    const auto i = r < 0x80 ? kFrom.find(static_cast<char>(r)) : kFrom.npos;
    if (i == kFrom.npos) {
      append_utf8(out, r);
    } else {
      out += '\\';
      out += kTo[i];
    }
  }
  return e.string(out + '"');
}

Val join(Eval& e, Args a) {
  const ListObj& list = *a[0].list;
  const std::string_view separator = a.size() > 1 ? a[1].text() : std::string_view{};
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Val v = list.at(e.arena, i);
    if (!v.is(ValKind::kString)) return e.fail("join: invalid input: " + display(e, v));
    if (i > 0) out += separator;
    out += v.text();
    e.work(1 + (v.size + separator.size()) / 16);
  }
  return e.string(out);
}

Val reverse(Eval& e, Args a) {
  std::u32string runes = to_runes(a[0].text());
  std::reverse(runes.begin(), runes.end());
  return e.string(to_utf8(runes));
}

template <bool Newest>
Val format(Eval& e, Args a) {
  std::string out, error;
  if (!format_string(e, a[0].text(), *a[1].list, Newest, out, error)) return e.fail(error);
  return e.string(out);
}

}  // namespace

void add_strings(Environment& env, bool newest) {
  const TypeRef text = &types::kString, integer = &types::kInt, texts = env.pool.list(text);
  env.declare("charAt").member("string_char_at_int", {text, integer}, text, char_at);
  env.declare("indexOf")
      .member("string_index_of_string", {text, text}, integer, index_of)
      .member("string_index_of_string_int", {text, text, integer}, integer, index_of);
  env.declare("lastIndexOf")
      .member("string_last_index_of_string", {text, text}, integer, last_index_of)
      .member("string_last_index_of_string_int", {text, text, integer}, integer, last_index_of);
  env.declare("lowerAscii").member("string_lower_ascii", {text}, text, shift_case<'A', 'Z', 32>);
  env.declare("replace")
      .member("string_replace_string_string", {text, text, text}, text, replace)
      .member("string_replace_string_string_int", {text, text, text, integer}, text, replace);
  env.declare("split")
      .member("string_split_string", {text, text}, texts, split)
      .member("string_split_string_int", {text, text, integer}, texts, split);
  env.declare("substring")
      .member("string_substring_int", {text, integer}, text, substring)
      .member("string_substring_int_int", {text, integer, integer}, text, substring);
  env.declare("trim").member("string_trim", {text}, text, trim);
  env.declare("upperAscii").member("string_upper_ascii", {text}, text, shift_case<'a', 'z', -32>);
  env.declare("format").member("string_format", {text, &types::kListDyn}, text,
                               newest ? format<true> : format<false>, Shape::kMany);
  env.declare("strings.quote").global("strings_quote", {text}, text, quote);
  env.declare("join")
      .member("list_join", {texts}, text, join)
      .member("list_join_string", {texts, text}, text, join);
  if (newest) env.declare("reverse").member("string_reverse", {text}, text, reverse);
}

}  // namespace dray::cel
