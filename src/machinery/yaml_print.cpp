#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "machinery/base64.h"
#include "machinery/utf8.h"
#include "machinery/value.h"
#include "machinery/yaml_scalar.h"

namespace dray {
namespace {

constexpr int kIndent = 2;
constexpr int kWidth = 80;
/// A longer key is written after "? ".
constexpr std::size_t kSimpleKeyMax = 128;

bool is_break(char32_t c) {
  return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}
bool is_blank(char32_t c) { return c == ' ' || c == '\t'; }
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
/// Of ASCII; what lies beyond counts as a letter.
bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80; }
/// What the writer takes for printable: it knows no tab, and nothing beyond the basic plane.
bool is_printable(char32_t c) {
  return c == '\n' || (c >= 0x20 && c <= 0x7E) || (c >= 0xA0 && c <= 0xFFFD && c != 0xFEFF);
}

std::u32string runes_of(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const utf8::Rune rune = utf8::decode(text);
    out += rune.code;
    text.remove_prefix(rune.size);
  }
  return out;
}

/// Keys in the order of a reader: "a2" before "a10", letters after the rest.
bool key_less(const std::u32string& a, const std::u32string& b) {
  const std::size_t common = std::min(a.size(), b.size());
  const std::size_t i = std::mismatch(a.begin(), a.begin() + common, b.begin()).first - a.begin();
  if (i == common) return a.size() < b.size();
  const bool a_letter = is_letter(a[i]);
  const bool b_letter = is_letter(b[i]);
  if (a_letter && b_letter) return a[i] < b[i];
  if (a_letter || b_letter) return b_letter;
  // Zeros inside of a number count, leading ones do not: a digit before them stands for all.
  std::uint64_t a_number = 0;
  if (a[i] == '0' || b[i] == '0') {
    for (std::size_t j = i; j > 0 && is_digit(a[j - 1]); --j) {
      if (a[j - 1] != '0') a_number = 1;
    }
  }
  std::uint64_t b_number = a_number;
  const auto read = [&](const std::u32string& text, std::uint64_t& number) {
    std::size_t at = i;
    for (; at < text.size() && is_digit(text[at]); ++at) number = number * 10 + (text[at] - '0');
    return at;
  };
  const std::size_t a_end = read(a, a_number);
  const std::size_t b_end = read(b, b_number);
  if (a_number != b_number) return a_number < b_number;
  if (a_end != b_end) return a_end < b_end;
  return a[i] < b[i];
}

struct SortedMember {
  std::u32string key;
  const Value::Member* member;
};

std::vector<SortedMember> sorted(const Value::Map& map) {
  std::vector<SortedMember> out;
  for (const Value::Member& member : map) out.push_back({runes_of(member.first), &member});
  // Stable, for the order is not transitive for every text that can be thought of.
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& x, const auto& y) { return key_less(x.key, y.key); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool repeated = i + 1 < out.size() && out[i].member->first == out[i + 1].member->first;
    if (!repeated && kept++ != i) out[kept - 1] = std::move(out[i]);
  }
  out.resize(kept);
  return out;
}

enum class Style { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

/// Which styles a text allows.
struct Analysis {
  bool multiline = false;
  bool plain = true;
  bool single_quoted = true;
  bool literal = true;
};

bool starts_an_indicator(const std::u32string& text, std::size_t i) {
  constexpr std::u32string_view kFirst = U"#,[]{}&*!|>'\"%@`";
  const bool blank_follows = i + 1 == text.size() || is_blank(text[i + 1]);
  const bool blank_precedes = i == 0 || is_blank(text[i - 1]) || is_break(text[i - 1]);
  if (i == 0) {
    return kFirst.find(text[0]) != std::u32string_view::npos ||
           ((text[0] == '?' || text[0] == ':' || text[0] == '-') && blank_follows);
  }
  return (text[i] == ':' && blank_follows) || (text[i] == '#' && blank_precedes);
}

Analysis analyze(const std::u32string& text) {
  Analysis out;
  if (text.empty()) {
    out.literal = false;
    return out;
  }
  if (text.starts_with(U"---") || text.starts_with(U"...")) out.plain = false;
  bool special = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const char32_t before = i == 0 ? U'x' : text[i - 1];
    if (starts_an_indicator(text, i)) out.plain = false;
    if (!is_printable(c)) special = true;
    if (c == ' ' && is_break(before)) out.plain = out.single_quoted = false;
    if (is_break(c)) {
      out.multiline = true;
      if (before == ' ') special = true;
    }
  }
  const char32_t first = text.front();
  const char32_t last = text.back();
  if (first == ' ' || last == ' ' || out.multiline) out.plain = false;
  if (last == ' ') out.literal = false;
  if (special) out.plain = out.single_quoted = out.literal = false;
  return out;
}

/// The writer of go-yaml: where it stands decides about blanks and line breaks.
class Printer {
 public:
  std::string print(const Value& value) {
    write_node(value, false);
    write_indent();
    return std::move(out_);
  }

 private:
  void write_node(const Value& value, bool in_map) {
    switch (value.type()) {
      case Value::Type::kNull: return write_scalar("null", Style::kPlain, false);
      case Value::Type::kBool: return write_scalar(value.as_bool() ? "true" : "false", Style::kPlain, false);
      case Value::Type::kInt: return write_scalar(std::to_string(value.as_int()), Style::kPlain, false);
      case Value::Type::kDouble: return write_double(value.as_double());
      case Value::Type::kString: return write_string(value.as_string(), false);
      case Value::Type::kList: return write_list(value.as_list(), in_map);
      case Value::Type::kMap: return write_map(value.as_map());
    }
  }

  void write_double(double number) {
    std::string text = yaml::shortest(number);
    if (text == "NaN") text = ".nan";
    if (text == "+Inf") text = ".inf";
    if (text == "-Inf") text = "-.inf";
    write_scalar(text, Style::kPlain, false);
  }

  void write_list(const Value::List& list, bool in_map) {
    if (list.empty()) return write_empty("[", "]");
    // The items of a key's list stand under the key, without indentation.
    const int outer = indent_;
    const bool indentless = in_map && !indention_;
    indent_ = indent_ < 0 ? 0 : indent_ + (indentless ? 0 : kIndent);
    for (const Value& element : list) {
      write_indent();
      write_indicator("-", true, false, true);
      write_node(element, false);
    }
    indent_ = outer;
  }

  void write_map(const Value::Map& map) {
    if (map.empty()) return write_empty("{", "}");
    const int outer = indent_;
    indent_ = indent_ < 0 ? 0 : indent_ + kIndent;
    for (const SortedMember& sorted_member : sorted(map)) write_member(sorted_member);
    indent_ = outer;
  }

  void write_member(const SortedMember& sorted_member) {
    const auto& [key, value] = *sorted_member.member;
    write_indent();
    const bool simple = key.size() <= kSimpleKeyMax &&
                        std::none_of(sorted_member.key.begin(), sorted_member.key.end(), is_break);
    if (simple) {
      write_string(key, true);
      write_indicator(":", false, false, false);
    } else {
      write_indicator("?", true, false, true);
      write_string(key, false);
      write_indent();
      write_indicator(":", true, false, true);
    }
    write_node(value, true);
  }

  void write_empty(std::string_view open, std::string_view close) {
    write_indicator(open, true, true, false);
    write_indicator(close, false, false, false);
  }

  void write_string(const std::string& text, bool key) {
    if (!utf8::valid(text)) {
      write_indicator("!!binary", true, false, false);
      return write_scalar(base64_encode(text), Style::kPlain, key);
    }
    Style style = yaml::needs_quotes(text) ? Style::kDoubleQuoted : Style::kPlain;
    if (text.find('\n') != std::string::npos) style = Style::kLiteral;
    write_scalar(text, style, key);
  }

  void write_scalar(const std::string& text, Style style, bool key) {
    const std::u32string runes = runes_of(text);
    const Analysis allowed = analyze(runes);
    if (key && allowed.multiline) style = Style::kDoubleQuoted;
    if (style == Style::kPlain && (!allowed.plain || (runes.empty() && key))) style = Style::kSingleQuoted;
    if (style == Style::kSingleQuoted && !allowed.single_quoted) style = Style::kDoubleQuoted;
    if (style == Style::kLiteral && (!allowed.literal || key)) style = Style::kDoubleQuoted;

    const int outer = indent_;
    indent_ = indent_ < 0 ? kIndent : indent_ + kIndent;
    switch (style) {
      case Style::kPlain: write_plain(runes, !key); break;
      case Style::kSingleQuoted: write_single_quoted(runes, !key); break;
      case Style::kDoubleQuoted: write_double_quoted(runes, !key); break;
      case Style::kLiteral: write_literal(runes); break;
    }
    indent_ = outer;
  }

  /// Whether a line may break at the blank `i`, which then is left out.
  [[nodiscard]] bool folds_at(const std::u32string& text, std::size_t i, bool allowed) const {
    const bool alone = (i == 0 || text[i - 1] != ' ') && (i + 1 == text.size() || text[i + 1] != ' ');
    return allowed && column_ > kWidth && text[i] == ' ' && alone;
  }

  void write_plain(const std::u32string& text, bool folds) {
    if (!whitespace_) put(' ');
    for (std::size_t i = 0; i < text.size(); ++i) {
      folds_at(text, i, folds) ? write_indent() : put(text[i]);
    }
    whitespace_ = indention_ = false;
  }

  void write_single_quoted(const std::u32string& text, bool folds) {
    write_indicator("'", true, false, false);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool inner = i > 0 && i + 1 < text.size();
      if (inner && folds_at(text, i, folds)) {
        write_indent();
        continue;
      }
      if (text[i] == '\'') put('\'');
      put(text[i]);
    }
    write_indicator("'", false, false, false);
    whitespace_ = indention_ = false;
  }

  void write_double_quoted(const std::u32string& text, bool folds) {
    write_indicator("\"", true, false, false);
    bool spaces = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char32_t c = text[i];
      const bool inner = i > 0 && i + 1 < text.size();
      if (!is_printable(c) || is_break(c) || c == '"' || c == '\\' || text[0] == 0xFEFF) {
        put('\\');
        put_escape(c);
        spaces = false;
      } else if (c == ' ' && folds && !spaces && column_ > kWidth && inner) {
        write_indent();
        if (text[i + 1] == ' ') put('\\');
        spaces = true;
      } else {
        put(c);
        spaces = c == ' ';
      }
    }
    write_indicator("\"", false, false, false);
    whitespace_ = indention_ = false;
  }

  void put_escape(char32_t c) {
    constexpr std::pair<char32_t, char> kShort[] = {
        {0, '0'},     {7, 'a'},      {8, 'b'},     {9, 't'},    {10, 'n'},     {11, 'v'},     {12, 'f'},  {13, 'r'},
        {0x1B, 'e'}, {'"', '"'}, {'\\', '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
    for (const auto& [code, letter] : kShort) {
      if (code == c) return put(letter);
    }
    const int digits = c <= 0xFF ? 2 : c <= 0xFFFF ? 4 : 8;
    put(digits == 2 ? 'x' : digits == 4 ? 'u' : 'U');
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) put("0123456789ABCDEF"[(c >> shift) & 0xF]);
  }

  void write_literal(const std::u32string& text) {
    write_indicator("|", true, false, false);
    if (text[0] == ' ' || is_break(text[0])) put('0' + kIndent);
    const bool ends = is_break(text.back());
    if (!ends) put('-');
    if (ends && (text.size() == 1 || is_break(text[text.size() - 2]))) put('+');
    put_break();
    indention_ = whitespace_ = true;
    bool breaks = true;
    for (const char32_t c : text) {
      if (is_break(c)) {
        write_break(c);
        indention_ = true;
        breaks = true;
        continue;
      }
      if (breaks) write_indent();
      put(c);
      indention_ = false;
      breaks = false;
    }
  }

  void write_indent() {
    const int indent = std::max(indent_, 0);
    if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) put_break();
    while (column_ < indent) put(' ');
    whitespace_ = indention_ = true;
  }

  void write_indicator(std::string_view text, bool needs_space, bool is_space, bool is_indention) {
    if (needs_space && !whitespace_) put(' ');
    for (const char c : text) put(c);
    whitespace_ = is_space;
    indention_ = indention_ && is_indention;
  }

  void put(char32_t c) {
    utf8::append(out_, c);
    ++column_;
  }
  void put_break() {
    out_ += '\n';
    column_ = 0;
  }
  void write_break(char32_t c) {
    utf8::append(out_, c);
    column_ = 0;
  }

  std::string out_;
  int indent_ = -1;
  int column_ = 0;
  bool whitespace_ = true;
  bool indention_ = true;
};

}  // namespace

std::string print_yaml(const Value& value) { return Printer().print(value); }

}  // namespace dray
