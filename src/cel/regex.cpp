#include "cel/regex.h"

#include <algorithm>

#include <re2/re2.h>

#include <fmt/format.h>

#include "cel/source.h"

namespace dray::cel {
namespace {

bool is_group_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

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

/// What Go has and RE2 has not, or the other way: `(?<name>` is written as `(?P<name>`, `\\C` is
/// refused. False and what is wrong.
bool to_re2(std::string_view go, std::string& out, std::string& error) {
  bool in_class = false, quoted = false;
  for (std::size_t i = 0; i < go.size(); ++i) {
    const std::string_view rest = go.substr(i);
    if (quoted) {
      if (rest.starts_with("\\E")) quoted = false;
      out += go[i];
      continue;
    }
    if (go[i] == '\\' && rest.size() > 1) {
      if (rest[1] == 'C') return error = "invalid escape sequence: `\\C`", false;
      quoted = rest[1] == 'Q' && !in_class;
      out += rest.substr(0, 2);
      ++i;
      continue;
    }
    if (go[i] == '[' && !in_class) {
      in_class = true;
      // A bracket right at the start is a member.
      for (const std::string_view start : {"[^]", "[]"})
        if (rest.starts_with(start)) {
          out += start.substr(0, start.size() - 1);
          i += start.size() - 1;
          break;
        }
    } else if (in_class && rest.starts_with("[:")) {
      const auto end = rest.find(":]");
      if (end != std::string_view::npos) {
        out += rest.substr(0, end + 1);
        i += end + 1;
      }
    } else if (go[i] == ']') {
      in_class = false;
    } else if (!in_class && rest.starts_with("(?<")) {
      const auto end = rest.find('>');
      const std::string_view name = rest.substr(3, end == std::string_view::npos ? 0 : end - 3);
      if (!is_group_name(name)) {
        error = fmt::format("invalid named capture: `{}`", rest.substr(0, end == std::string_view::npos ? end : end + 1));
        return false;
      }
      out += "(?P<";
      i += 2;
      continue;
    }
    out += go[i];
  }
  return true;
}

}  // namespace

std::shared_ptr<const re2::RE2> compile_regex(std::string_view pattern, std::string& error) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(16 << 20);
  std::string translated, refusal;
  if (!to_re2(pattern, translated, refusal)) {
    error = "error parsing regexp: " + refusal;
    return nullptr;
  }
  auto regex = std::make_shared<const re2::RE2>(translated, options);
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
