#include "cel/parser.h"

namespace dray::cel {
namespace {

std::string with_unix_newlines(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
      continue;
    }
    out += '\n';
    if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_rune(char32_t r) { return r < 0xD800 || (r >= 0xE000 && r <= 0x10FFFF); }

class Unescaper {
 public:
  Unescaper(std::string_view text, bool is_bytes) : rest_(text), is_bytes_(is_bytes) {}

  bool run(std::string& out, std::string& error) {
    while (!rest_.empty()) {
      if (rest_[0] != '\\') {
        out += rest_[0];
        rest_.remove_prefix(1);
      } else if (!escape(out)) {
        error = error_;
        return false;
      }
    }
    return true;
  }

 private:
  bool fail(const char* why) { return error_ = why, false; }

  bool escape(std::string& out) {
    if (rest_.size() < 2) return fail("unable to unescape string, found '\\' as last character");
    const char c = rest_[1];
    rest_.remove_prefix(2);
    constexpr std::string_view kFrom = "abfnrtv\\'\"`?", kTo = "\a\b\f\n\r\t\v\\'\"`?";
    if (const auto at = kFrom.find(c); at != std::string_view::npos) return out += kTo[at], true;
    switch (c) {
      case 'x':
      case 'X': return number(out, 2, 16, is_bytes_);
      case 'u': return !is_bytes_ ? number(out, 4, 16, false) : fail("unable to unescape string");
      case 'U': return !is_bytes_ ? number(out, 8, 16, false) : fail("unable to unescape string");
      case '0':
      case '1':
      case '2':
      case '3': return octal(out, c);
      default: return fail("unable to unescape string");
    }
  }

  bool number(std::string& out, std::size_t digits, unsigned base, bool byte) {
    if (rest_.size() < digits) return fail("unable to unescape string");
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = hex_value(rest_[i]);
      if (digit < 0) return fail("unable to unescape string");
      value = value * base + static_cast<unsigned>(digit);
    }
    rest_.remove_prefix(digits);
    return emit(out, value, byte);
  }

  bool octal(std::string& out, char first) {
    constexpr const char* kBad = "unable to unescape octal sequence in string";
    if (rest_.size() < 2) return fail(kBad);
    char32_t value = static_cast<char32_t>(first - '0');
    for (int i = 0; i < 2; ++i) {
      const char c = rest_[static_cast<std::size_t>(i)];
      if (c < '0' || c > '7') return fail(kBad);
      value = value * 8 + static_cast<char32_t>(c - '0');
    }
    rest_.remove_prefix(2);
    return emit(out, value, is_bytes_);
  }

  bool emit(std::string& out, char32_t value, bool byte) {
    if (byte) return out += static_cast<char>(value), true;
    if (!is_rune(value)) return fail("invalid unicode code point");
    append_utf8(out, value);
    return true;
  }

  std::string_view rest_;
  bool is_bytes_;
  const char* error_ = "";
};

}  // namespace

bool unescape(std::string_view literal, bool is_bytes, std::string& out, std::string& error) {
  const std::string normal = with_unix_newlines(literal);
  std::string_view text = normal;
  const bool raw = text.starts_with('r') || text.starts_with('R');
  if (raw) text.remove_prefix(1);
  const std::size_t quote = text.size() >= 6 && text[0] == text[1] && text[1] == text[2] ? 3 : 1;
  text = text.substr(quote, text.size() - 2 * quote);
  out.clear();
  if (raw || !text.contains('\\')) {
    out = text;
    return true;
  }
  return Unescaper(text, is_bytes).run(out, error);
}

}  // namespace dray::cel
