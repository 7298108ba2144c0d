#include "cel/regex.h"

#include <re2/re2.h>

#include <fmt/format.h>

#include "cel/source.h"

namespace dray::cel {
namespace {

std::string_view go_text(re2::RE2::ErrorCode code) {
  switch (code) {
    case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadCharRange: return "invalid character class range";
    case re2::RE2::ErrorMissingBracket: return "missing closing ]";
    case re2::RE2::ErrorMissingParen: return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
    case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
    case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
    case re2::RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

}  // namespace

std::shared_ptr<const re2::RE2> compile_regex(std::string_view pattern, std::string& error) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(16 << 20);
  auto regex = std::make_shared<const re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (regex->ok()) return regex;
  std::string argument = regex->error_arg();
  // Go quotes the whole pattern where a bracket is open.
  if (regex->error_code() == re2::RE2::ErrorMissingParen) argument = pattern;
  if (regex->error_code() == re2::RE2::ErrorUnexpectedParen) argument = pattern;
  if (regex->error_code() == re2::RE2::ErrorTrailingBackslash) argument.clear();
  error = fmt::format("error parsing regexp: {}: `{}`", go_text(regex->error_code()), argument);
  return nullptr;
}

}  // namespace dray::cel
