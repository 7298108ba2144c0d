#include "cel/lexer.h"

#include <string_view>

namespace dray::cel {
namespace {

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char32_t c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_name(char32_t c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_space(char32_t c) {
  return c == '\t' || c == ' ' || c == '\r' || c == '\n' || c == '\f';
}

constexpr char32_t kEof = 0xFFFFFFFF;

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source) {}

  Tokens run() {
    while (at_ < source_.size()) step();
    out_.tokens.push_back({TokenKind::kEnd, source_.size(), source_.size()});
    return std::move(out_);
  }

 private:
  [[nodiscard]] char32_t peek(int offset) const {
    return offset < source_.size() ? source_.at(offset) : kEof;
  }

  void accept(TokenKind kind, int end) {
    out_.tokens.push_back({kind, at_, end});
    at_ = end;
  }

  /// The grammar died at `died`: that character is skipped too.
  void reject(int died) {
    const int end = died < source_.size() ? died + 1 : died;
    out_.errors.push_back({source_.location(at_),
                           "token recognition error at: '" + source_.slice(at_, end) + "'"});
    at_ = end;
  }

  void step() {
    const char32_t c = peek(at_);
    if (is_space(c)) {
      while (is_space(peek(at_))) ++at_;
    } else if (c == '/' && peek(at_ + 1) == '/') {
      while (peek(at_) != kEof && peek(at_) != '\n') ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(at_ + 1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      int died = 0;
      const int end = string(at_, died);
      end < 0 ? reject(died) : accept(TokenKind::kString, end);
    } else if (is_letter(c) || c == '_') {
      word();
    } else if (c == '`') {
      quoted_identifier();
    } else {
      symbol();
    }
  }

  [[nodiscard]] int digits(int from) const {
    while (is_digit(peek(from))) ++from;
    return from;
  }

  /// The end of an exponent that starts at `from`, or `from`.
  [[nodiscard]] int exponent(int from) const {
    if (peek(from) != 'e' && peek(from) != 'E') return from;
    int at = from + 1;
    if (peek(at) == '+' || peek(at) == '-') ++at;
    return is_digit(peek(at)) ? digits(at) : from;
  }

  void number() {
    if (peek(at_) == '0' && peek(at_ + 1) == 'x' && is_hex(peek(at_ + 2))) {
      int end = at_ + 2;
      while (is_hex(peek(end))) ++end;
      return integer(end);
    }
    const int whole = digits(at_);
    int end = whole;
    if (peek(end) == '.' && is_digit(peek(end + 1))) end = digits(end + 1);
    end = exponent(end);
    if (end != whole) return accept(TokenKind::kFloat, end);
    integer(whole);
  }

  void integer(int end) {
    const bool is_unsigned = peek(end) == 'u' || peek(end) == 'U';
    is_unsigned ? accept(TokenKind::kUint, end + 1) : accept(TokenKind::kInt, end);
  }

  void word() {
    // A prefix that makes a string raw or bytes is a name where no string follows.
    const char32_t c = peek(at_), next = peek(at_ + 1);
    const auto is = [](char32_t x, char32_t lower) { return x == lower || x == lower - 0x20; };
    int died = 0, end = -1;
    const auto quote = [](char32_t x) { return x == '"' || x == '\''; };
    if (is(c, 'r') && quote(next) && (end = raw_string(at_ + 1, died)) >= 0)
      return accept(TokenKind::kString, end);
    if (is(c, 'b') && quote(next) && (end = string(at_ + 1, died)) >= 0)
      return accept(TokenKind::kBytes, end);
    if (is(c, 'b') && is(next, 'r') && quote(peek(at_ + 2)) &&
        (end = raw_string(at_ + 2, died)) >= 0)
      return accept(TokenKind::kBytes, end);
    end = at_;
    while (is_name(peek(end))) ++end;
    accept(keyword(end), end);
  }

  [[nodiscard]] TokenKind keyword(int end) const {
    const auto equals = [&](std::u32string_view text) {
      if (end - at_ != static_cast<int>(text.size())) return false;
      for (std::size_t i = 0; i < text.size(); ++i)
        if (peek(at_ + static_cast<int>(i)) != text[i]) return false;
      return true;
    };
    if (equals(U"in")) return TokenKind::kIn;
    if (equals(U"true")) return TokenKind::kTrue;
    if (equals(U"false")) return TokenKind::kFalse;
    if (equals(U"null")) return TokenKind::kNull;
    return TokenKind::kIdentifier;
  }

  void quoted_identifier() {
    int end = at_ + 1;
    for (char32_t c = peek(end); is_name(c) || c == '.' || c == '-' || c == '/' || c == ' ';
         c = peek(end))
      ++end;
    if (peek(end) != '`' || end == at_ + 1) return reject(end);
    accept(TokenKind::kQuotedIdentifier, end + 1);
  }

  /// The end of an escape sequence at `from`, or -1 and where it died.
  [[nodiscard]] int escape(int from, int& died) const {
    const char32_t c = peek(from + 1);
    int hex = 0;
    if (c == 'x' || c == 'X') hex = 2;
    if (c == 'u') hex = 4;
    if (c == 'U') hex = 8;
    if (hex > 0) {
      for (int i = 0; i < hex; ++i)
        if (!is_hex(peek(from + 2 + i))) return died = from + 2 + i, -1;
      return from + 2 + hex;
    }
    if (c >= '0' && c <= '3') {
      for (int i = 2; i < 4; ++i)
        if (peek(from + i) < '0' || peek(from + i) > '7') return died = from + i, -1;
      return from + 4;
    }
    if (c != kEof && std::u32string_view(U"abfnrtv\"'\\?`").contains(c)) return from + 2;
    return died = from + 1, -1;
  }

  [[nodiscard]] bool triple(int from, char32_t quote) const {
    return peek(from) == quote && peek(from + 1) == quote && peek(from + 2) == quote;
  }

  /// The end of the string whose quote is at `from`, or -1 and where it died.
  [[nodiscard]] int string(int from, int& died) const {
    const char32_t quote = peek(from);
    if (triple(from, quote)) {
      int at = from + 3;
      while (at >= 0 && peek(at) != kEof) {
        if (triple(at, quote)) return at + 3;
        at = peek(at) == '\\' ? escape(at, died) : at + 1;
      }
      return from + 2;  // the empty string before the third quote
    }
    for (int at = from + 1;;) {
      const char32_t c = peek(at);
      if (c == quote) return at + 1;
      if (c == kEof || c == '\n' || c == '\r') return died = at, -1;
      at = c == '\\' ? escape(at, died) : at + 1;
      if (at < 0) return -1;
    }
  }

  [[nodiscard]] int raw_string(int from, int& died) const {
    const char32_t quote = peek(from);
    if (triple(from, quote)) {
      for (int at = from + 3; peek(at) != kEof; ++at)
        if (triple(at, quote)) return at + 3;
      return from + 2;
    }
    for (int at = from + 1;; ++at) {
      const char32_t c = peek(at);
      if (c == quote) return at + 1;
      if (c == kEof || c == '\n' || c == '\r') return died = at, -1;
    }
  }

  void symbol() {
    const char32_t c = peek(at_), next = peek(at_ + 1);
    const auto pair = [&](char32_t second, TokenKind two, TokenKind one) {
      next == second ? accept(two, at_ + 2) : accept(one, at_ + 1);
    };
    const auto must_pair = [&](TokenKind kind) {
      next == c || (c == '=' && next == '=') ? accept(kind, at_ + 2) : reject(at_ + 1);
    };
    switch (c) {
      case '=': return must_pair(TokenKind::kEqual);
      case '&': return must_pair(TokenKind::kAnd);
      case '|': return must_pair(TokenKind::kOr);
      case '!': return pair('=', TokenKind::kNotEqual, TokenKind::kNot);
      case '<': return pair('=', TokenKind::kLessEqual, TokenKind::kLess);
      case '>': return pair('=', TokenKind::kGreaterEqual, TokenKind::kGreater);
      case '[': return accept(TokenKind::kLeftBracket, at_ + 1);
      case ']': return accept(TokenKind::kRightBracket, at_ + 1);
      case '{': return accept(TokenKind::kLeftBrace, at_ + 1);
      case '}': return accept(TokenKind::kRightBrace, at_ + 1);
      case '(': return accept(TokenKind::kLeftParen, at_ + 1);
      case ')': return accept(TokenKind::kRightParen, at_ + 1);
      case '.': return accept(TokenKind::kDot, at_ + 1);
      case ',': return accept(TokenKind::kComma, at_ + 1);
      case '-': return accept(TokenKind::kMinus, at_ + 1);
      case '?': return accept(TokenKind::kQuestion, at_ + 1);
      case ':': return accept(TokenKind::kColon, at_ + 1);
      case '+': return accept(TokenKind::kPlus, at_ + 1);
      case '*': return accept(TokenKind::kStar, at_ + 1);
      case '/': return accept(TokenKind::kSlash, at_ + 1);
      case '%': return accept(TokenKind::kPercent, at_ + 1);
      default: return reject(at_);
    }
  }

  const Source& source_;
  int at_ = 0;
  Tokens out_;
};

}  // namespace

Tokens tokenize(const Source& source) { return Lexer(source).run(); }

}  // namespace dray::cel
