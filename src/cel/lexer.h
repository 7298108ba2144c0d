/// Text to tokens, by CEL's lexical grammar: the longest match wins.
/// Source: cel-go parser/gen/CEL.g4.
#pragma once

#include <cstdint>
#include <vector>

#include "cel/source.h"

namespace dray::cel {

enum class TokenKind : std::uint8_t {
  kEnd,
  kEqual, kNotEqual, kIn, kLess, kLessEqual, kGreaterEqual, kGreater, kAnd, kOr,
  kLeftBracket, kRightBracket, kLeftBrace, kRightBrace, kLeftParen, kRightParen,
  kDot, kComma, kMinus, kNot, kQuestion, kColon, kPlus, kStar, kSlash, kPercent,
  kTrue, kFalse, kNull,
  kFloat, kInt, kUint, kString, kBytes, kIdentifier, kQuotedIdentifier,
};

/// [start, end) in code points.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  int start = 0;
  int end = 0;
};

struct Tokens {
  std::vector<Token> tokens;  // ends with kEnd
  /// What is no token, skipped: "token recognition error at: '@'".
  std::vector<Issue> errors;
};

[[nodiscard]] Tokens tokenize(const Source& source);

}  // namespace dray::cel
