#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "machinery/utf8.h"
#include "machinery/value.h"

namespace dray {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Go names the byte, not the rune.
std::string quoted_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '\'': return R"('\'')";
    case '"': return R"('"')";
    case '\\': return R"('\\')";
    case '\a': return R"('\a')";
    case '\b': return R"('\b')";
    case '\f': return R"('\f')";
    case '\n': return R"('\n')";
    case '\r': return R"('\r')";
    case '\t': return R"('\t')";
    case '\v': return R"('\v')";
    default: break;
  }
  if (byte < 0x20 || byte == 0x7F) return fmt::format("'\\x{:02x}'", byte);
  if (byte >= 0x80 && (byte <= 0xA0 || byte == 0xAD)) return fmt::format("'\\u{:04x}'", byte);
  std::string out = "'";
  utf8::append(out, byte);
  return out + "'";
}

/// Bytes that a string holds as they are: not '"', not '\\', no control character.
constexpr std::array<bool, 256> kPlainByte = [] {
  std::array<bool, 256> table{};
  for (int c = 0x20; c < 256; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

/// Recursive descent over the text, with Go's error for the first byte that Go's scanner refuses.
/// Hand-written: Go takes invalid UTF-8 and lone surrogates (as U+FFFD), and its error texts are part
/// of the API.
class JsonParser {
 public:
  JsonParser(std::string_view text, ParseLimits limits)
      : begin_(text.data()), p_(begin_), end_(begin_ + text.size()), line_start_(begin_),
        depth_max_(limits.depth_max) {}

  Result<Value> parse() {
    Value out;
    if (!parse_value(out) || !at_end()) return fail(std::move(error_));
    return out;
  }

 private:
  bool parse_value(Value& out) {
    skip_space();
    out.at = here();
    if (p_ == end_) return unexpected_end();
    switch (*p_) {
      case '{': return parse_map(out);
      case '[': return parse_list(out);
      case '"': out = Value(std::string()); return parse_string(out.as_string()) && placed(out);
      case 't': return parse_literal("true") && assign(out, true);
      case 'f': return parse_literal("false") && assign(out, false);
      case 'n': return parse_literal("null");
      default: return parse_number(out);
    }
  }

  // Assignment replaces the position too: these put the value where its first byte was.
  bool placed(Value& out) {
    out.at = start_;
    return true;
  }
  bool assign(Value& out, Value value) {
    value.at = out.at;
    out = std::move(value);
    return true;
  }

  bool parse_map(Value& out) {
    const Position at = out.at;
    out = Value::map();
    out.at = at;
    Value::Map& map = out.as_map();
    if (!enter()) return false;
    skip_space();
    if (p_ != end_ && *p_ == '}') return leave();
    while (true) {
      skip_space();
      if (p_ == end_) return unexpected_end();
      if (*p_ != '"') return invalid("looking for beginning of object key string");
      Value::Member& member = map.emplace_back();
      if (!parse_string(member.first)) return false;
      skip_space();
      if (p_ == end_) return unexpected_end();
      if (*p_ != ':') return invalid("after object key");
      ++p_;
      if (!parse_value(member.second)) return false;
      skip_space();
      if (p_ == end_) return unexpected_end();
      if (*p_ == '}') return leave();
      if (*p_ != ',') return invalid("after object key:value pair");
      ++p_;
    }
  }

  bool parse_list(Value& out) {
    const Position at = out.at;
    out = Value::list();
    out.at = at;
    Value::List& list = out.as_list();
    if (!enter()) return false;
    skip_space();
    if (p_ != end_ && *p_ == ']') return leave();
    while (true) {
      if (!parse_value(list.emplace_back())) return false;
      skip_space();
      if (p_ == end_) return unexpected_end();
      if (*p_ == ']') return leave();
      if (*p_ != ',') return invalid("after array element");
      ++p_;
    }
  }

  bool enter() {
    ++p_;
    return ++depth_ <= depth_max_ || refuse("exceeded max depth");
  }
  bool leave() {
    ++p_;
    --depth_;
    return true;
  }

  bool parse_literal(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i, ++p_) {
      if (p_ == end_) return unexpected_end();
      if (*p_ != word[i]) {
        return invalid(fmt::format("in literal {} (expecting '{}')", word, word[i]));
      }
    }
    return true;
  }

  bool parse_string(std::string& out) {
    start_ = here();
    const char* first = ++p_;
    unsigned char high = 0;
    while (true) {
      while (p_ != end_ && kPlainByte[static_cast<unsigned char>(*p_)]) high |= *p_++;
      out.append(first, p_);
      if (p_ == end_) return unexpected_end();
      if (*p_ == '"') break;
      if (*p_ != '\\') return invalid("in string literal");
      ++p_;
      if (!parse_escape(out)) return false;
      first = p_;
    }
    ++p_;
    if ((high & 0x80) != 0 && !utf8::valid(out)) out = utf8::repaired(out);
    return true;
  }

  bool parse_escape(std::string& out) {
    if (p_ == end_) return unexpected_end();
    switch (*p_++) {
      case '"': out += '"'; return true;
      case '\\': out += '\\'; return true;
      case '/': out += '/'; return true;
      case 'b': out += '\b'; return true;
      case 'f': out += '\f'; return true;
      case 'n': out += '\n'; return true;
      case 'r': out += '\r'; return true;
      case 't': out += '\t'; return true;
      case 'u': return parse_unicode_escape(out);
      default: --p_; return invalid("in string escape code");
    }
  }

  bool parse_unicode_escape(std::string& out) {
    char32_t code = 0;
    if (!parse_hex(code)) return false;
    const bool leads = code >= 0xD800 && code < 0xDC00;
    if (leads && end_ - p_ >= 2 && p_[0] == '\\' && p_[1] == 'u') {
      const char* const before = p_;
      p_ += 2;
      char32_t trail = 0;
      if (!parse_hex(trail)) return false;
      if (trail >= 0xDC00 && trail < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (trail - 0xDC00);
      } else {
        p_ = before;  // The first is alone, the second is read again.
      }
    }
    utf8::append(out, code);
    return true;
  }

  bool parse_hex(char32_t& code) {
    for (int i = 0; i < 4; ++i, ++p_) {
      if (p_ == end_) return unexpected_end();
      unsigned digit = 0;
      const auto parsed = std::from_chars(p_, p_ + 1, digit, 16);
      if (parsed.ec != std::errc()) return invalid("in \\u hexadecimal character escape");
      code = code << 4 | digit;
    }
    return true;
  }

  bool parse_number(Value& out) {
    const char* const first = p_;
    if (*p_ == '-') {
      ++p_;
      if (p_ == end_) return unexpected_end();
      if (!is_digit(*p_)) return invalid("in numeric literal");
    } else if (!is_digit(*p_)) {
      return invalid("looking for beginning of value");
    }
    bool integer = true;
    if (*p_ == '0') {
      ++p_;
    } else {
      skip_digits();
    }
    if (p_ != end_ && *p_ == '.') {
      integer = false;
      ++p_;
      if (!parse_digits("after decimal point in numeric literal")) return false;
    }
    if (p_ != end_ && (*p_ == 'e' || *p_ == 'E')) {
      integer = false;
      ++p_;
      if (p_ != end_ && (*p_ == '+' || *p_ == '-')) ++p_;
      if (!parse_digits("in exponent of numeric literal")) return false;
    }
    return convert_number(first, integer, out);
  }

  void skip_digits() {
    while (p_ != end_ && is_digit(*p_)) ++p_;
  }
  bool parse_digits(std::string_view context) {
    if (p_ == end_) return unexpected_end();
    if (!is_digit(*p_)) return invalid(context);
    skip_digits();
    return true;
  }

  bool convert_number(const char* first, bool integer, Value& out) {
    if (integer) {
      std::int64_t i = 0;
      if (std::from_chars(first, p_, i).ec == std::errc()) return assign(out, i);
    }
    double d = 0;
    if (std::from_chars(first, p_, d).ec != std::errc()) d = std::strtod(std::string(first, p_).c_str(), nullptr);
    if (std::isinf(d)) {
      return refuse(fmt::format("json: cannot unmarshal number {} into Go value of type float64",
                                std::string_view(first, p_)));
    }
    return assign(out, d);
  }

  void skip_space() {
    for (; p_ != end_; ++p_) {
      if (*p_ == '\n') {
        ++line_;
        line_start_ = p_ + 1;
      } else if (*p_ != ' ' && *p_ != '\t' && *p_ != '\r') {
        return;
      }
    }
  }

  bool at_end() {
    skip_space();
    return p_ == end_ || invalid("after top-level value");
  }

  [[nodiscard]] Position here() const {
    return {line_, static_cast<int>(p_ - line_start_) + 1};
  }
  bool unexpected_end() { return refuse("unexpected end of JSON input"); }
  bool invalid(std::string_view context) {
    return refuse(fmt::format("invalid character {} {}", quoted_byte(*p_), context));
  }
  bool refuse(std::string text) {
    error_.code = Code::kBadRequest;
    error_.message = fmt::format("line {}, column {}: {}", here().line, here().column, text);
    error_.causes = {Cause{"", "", std::move(text), here()}};
    return false;
  }

  const char* begin_;
  const char* p_;
  const char* end_;
  const char* line_start_;
  int line_ = 1;
  int depth_ = 0;
  int depth_max_;
  Position start_{};
  Error error_;
};

/// Bytes that Go's encoder writes as they are.
constexpr std::array<bool, 256> kSafeByte = [] {
  std::array<bool, 256> table{};
  for (int c = 0x20; c < 0x80; ++c) {
    table[c] = c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
  }
  return table;
}();

void append_escaped_byte(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 0xF];
}

std::vector<const Value::Member*> sorted_members(const Value::Map& map) {
  std::vector<const Value::Member*> out;
  out.reserve(map.size());
  for (const Value::Member& member : map) out.push_back(&member);
  std::stable_sort(out.begin(), out.end(),
                   [](const auto* x, const auto* y) { return x->first < y->first; });
  return out;
}

void append(std::string& out, const Value& value, bool sort_keys);

void append_member(std::string& out, const Value::Member& member, bool sort_keys) {
  if (out.back() != '{') out += ',';
  append_json_string(out, member.first);
  out += ':';
  append(out, member.second, sort_keys);
}

void append_map(std::string& out, const Value::Map& map, bool sort_keys) {
  out += '{';
  if (sort_keys) {
    const auto members = sorted_members(map);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool repeated = i + 1 < members.size() && members[i]->first == members[i + 1]->first;
      if (!repeated) append_member(out, *members[i], sort_keys);
    }
  } else {
    for (const Value::Member& member : map) append_member(out, member, sort_keys);
  }
  out += '}';
}

void append_list(std::string& out, const Value::List& list, bool sort_keys) {
  out += '[';
  for (const Value& element : list) {
    if (&element != &list.front()) out += ',';
    append(out, element, sort_keys);
  }
  out += ']';
}

void append_int(std::string& out, std::int64_t number) {
  char buffer[24];
  const auto printed = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, printed.ptr);
}

void append(std::string& out, const Value& value, bool sort_keys) {
  switch (value.type()) {
    case Value::Type::kNull: out += "null"; return;
    case Value::Type::kBool: out += value.as_bool() ? "true" : "false"; return;
    case Value::Type::kInt: return append_int(out, value.as_int());
    case Value::Type::kDouble: return append_json_double(out, value.as_double());
    case Value::Type::kString: return append_json_string(out, value.as_string());
    case Value::Type::kList: return append_list(out, value.as_list(), sort_keys);
    case Value::Type::kMap: return append_map(out, value.as_map(), sort_keys);
  }
}

/// "-1.25e+03" as "-1250": zeros, not more digits, fill a large number, as in Go.
void append_fixed(std::string& out, std::string_view scientific) {
  const std::size_t e = scientific.find('e');
  int exponent = 0;
  const char* const sign = scientific.data() + e + 1;
  std::from_chars(sign + (*sign == '+' ? 1 : 0), scientific.data() + scientific.size(), exponent);
  std::string_view mantissa = scientific.substr(0, e);
  if (mantissa[0] == '-') {
    out += '-';
    mantissa.remove_prefix(1);
  }
  std::string digits(mantissa.substr(0, 1));
  if (mantissa.size() > 2) digits += mantissa.substr(2);
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  out.append(digits, 0, whole);
  if (digits.size() > whole) out.append(".").append(digits, whole);
}

}  // namespace

Result<Value> parse_json(std::string_view text, ParseLimits limits) {
  return JsonParser(text, limits).parse();
}

std::string print_json(const Value& value, bool sort_keys) {
  std::string out;
  append(out, value, sort_keys);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    std::size_t safe = 0;
    while (safe < text.size() && kSafeByte[static_cast<unsigned char>(text[safe])]) ++safe;
    out.append(text.data(), safe);
    text.remove_prefix(safe);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      // 0x7F is safe for JSON, and Go leaves it.
      append_escaped_byte(out, text[0]);
      text.remove_prefix(1);
      continue;
    }
    const utf8::Rune rune = utf8::decode(text);
    if (!rune.valid) {
      out += "\\ufffd";
    } else if (rune.code == 0x2028 || rune.code == 0x2029) {
      out += rune.code == 0x2028 ? "\\u2028" : "\\u2029";
    } else {
      out.append(text.data(), rune.size);
    }
    text.remove_prefix(rune.size);
  }
  out += '"';
}

void append_json_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  char buffer[32];
  const auto printed = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  std::string_view text(buffer, printed.ptr - buffer);
  // As ECMAScript: an exponent only below 1e-6 and from 1e21 on, and without leading zeros.
  const double size = std::abs(number);
  if (size != 0 && (size < 1e-6 || size >= 1e21)) {
    const bool padded = text[text.size() - 3] == '-' && text[text.size() - 2] == '0';
    out.append(text.substr(0, text.size() - (padded ? 2 : 0)));
    if (padded) out += text.back();
    return;
  }
  append_fixed(out, text);
}

}  // namespace dray
