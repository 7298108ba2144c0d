/// Small helpers over JSON trees for the scenario player.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "machinery/value.h"

namespace dray::scenario {

inline const Value* at(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* here = &value;
  for (const auto key : path) {
    here = here->find(key);
    if (here == nullptr) return nullptr;
  }
  return here;
}

inline std::string text_at(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* found = at(value, path);
  return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

/// The list at the path, which may be absent or null.
inline const Value::List& many(const Value& value, std::initializer_list<std::string_view> path) {
  static const Value::List kNone;
  const Value* found = at(value, path);
  return found != nullptr && found->is_list() ? found->as_list() : kNone;
}

inline Value map_of() { return Value(Value::Map()); }

/// Sets the member unless the value is empty: null, false, "", [], {}.
inline void set_some(Value& map, std::string_view key, Value value) {
  const bool empty = value.is_null() || (value.is_bool() && !value.as_bool()) ||
                     (value.is_string() && value.as_string().empty()) ||
                     (value.is_list() && value.as_list().empty()) ||
                     (value.is_map() && value.as_map().empty());
  if (!empty) map.set(key, std::move(value));
}

inline std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  if (from.empty()) return text;
  for (std::size_t p = 0; (p = text.find(from, p)) != std::string::npos; p += to.size()) {
    text.replace(p, from.size(), to);
  }
  return text;
}

/// The recordings were read by a parser to which a plain y or n is a text; to Kubernetes' it is a boolean.
inline std::string letters_as_texts(const std::string& yaml) {
  static const std::regex kLetter("([:,\\[{] |[\\[{])([yn])(?=[:,}\\]\\s])");
  return std::regex_replace(yaml, kLetter, "$1'$2'");
}

inline Value copy_or_null(const Value* value) { return value == nullptr ? Value() : *value; }

/// The member of a map, "" and null alike as null.
inline Value or_null(const Value& value, std::initializer_list<std::string_view> path) {
  return copy_or_null(at(value, path));
}

}  // namespace dray::scenario
