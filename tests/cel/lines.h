/// JSON lines of test data.
#pragma once

#include <fstream>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "machinery/value.h"

namespace dray::cel::test {

inline std::string data_file(const std::string& name) {
  return std::string(DRAY_TEST_DATA) + "/cel/" + name;
}

inline std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

inline std::string text_of_string(const Value* v) {
  return v != nullptr && v->is_string() ? v->as_string() : std::string{};
}

inline std::string text_of(const Value* v) {
  if (v == nullptr) return "nothing";
  return v->is_string() ? v->as_string() : print_json(*v);
}

/// Of syntax errors only the place of the first one counts, of internal errors only that.
inline std::string normalised(const std::string& text) {
  constexpr std::string_view kStart = "compilation failed: ERROR: <input>:";
  constexpr std::string_view kSyntax = ": Syntax error: ";
  if (text.starts_with(kStart)) {
    const auto at = text.find(kSyntax);
    const auto line_end = text.find('\n');
    if (at != std::string::npos && at < line_end &&
        text.substr(kStart.size(), at - kStart.size()).find_first_not_of("-0123456789:") ==
            std::string::npos)
      return text.substr(0, at) + ": Syntax error";
  }
  return text.starts_with("internal error: ") ? "internal error" : text;
}

/// What differs between a recorded line and an answer: "field: want ..., got ...".
inline std::vector<std::string> differences(const Value& want, const Value& got) {
  std::vector<std::string> out;
  const auto compare = [&](const std::string& field, const Value* w, const Value* g, bool error) {
    if (w != nullptr && g != nullptr && !error && *w == *g) return;
    if (w == nullptr && g == nullptr) return;
    std::string a = text_of(w), b = text_of(g);
    if (error) a = normalised(a), b = normalised(b);
    if (a != b || (!error && (w == nullptr || g == nullptr)))
      out.push_back(field + "\n    want " + a + "\n    got  " + b);
  };
  const Value* compile = want.find("compile");
  const Value* got_compile = got.find("compile");
  if (got_compile == nullptr) return {"no answer: " + print_json(got)};
  for (const char* field : {"ok", "reason", "outputType", "estimatedCost"})
    compare(std::string("compile.") + field, compile->find(field), got_compile->find(field), false);
  compare("compile.error", compile->find("error"), got_compile->find("error"), true);
  const Value* result = want.find("result");
  const Value* got_result = got.find("result");
  if ((result == nullptr) != (got_result == nullptr)) {
    out.push_back(result == nullptr ? "an unexpected result" : "no result");
    return out;
  }
  if (result == nullptr) return out;
  const auto varies = [&](const std::string& field) {
    const Value* list = result->find("varies");
    if (list == nullptr) return false;
    for (const Value& v : list->as_list())
      if (v.as_string() == field) return true;
    return false;
  };
  for (const char* field : {"value", "error", "actualCost"})
    if (!varies(field))
      compare(std::string("result.") + field, result->find(field), got_result->find(field),
              std::string(field) == "error");
  return out;
}

}  // namespace dray::cel::test
