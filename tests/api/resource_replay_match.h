/// Comparing answers with recorded ones, in which "<word>" stands for what a server made up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "machinery/value.h"

namespace dray::api::replay {

inline std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Whether `got` is `expected`, in which "<word>" stands for anything.
inline bool text_matches(std::string_view expected, std::string_view got) {
  const std::size_t open = expected.find('<');
  const std::size_t close = open == std::string_view::npos ? open : expected.find('>', open);
  if (close == std::string_view::npos) return expected == got;
  if (got.substr(0, open) != expected.substr(0, open) || got.size() < open) return false;
  const std::string_view rest = expected.substr(close + 1);
  for (std::size_t i = open; i <= got.size(); ++i) {
    if (text_matches(rest, got.substr(i))) return true;
  }
  return false;
}

inline bool matches(const Value& expected, const Value& got) {
  if (expected.is_string() && got.is_string()) return text_matches(expected.as_string(), got.as_string());
  if (expected.is_list() && got.is_list()) {
    return std::equal(expected.as_list().begin(), expected.as_list().end(), got.as_list().begin(),
                      got.as_list().end(), matches);
  }
  if (!expected.is_map() || !got.is_map()) return expected == got;
  if (expected.as_map().size() != got.as_map().size()) return false;
  return std::all_of(expected.as_map().begin(), expected.as_map().end(), [&](const auto& member) {
    const Value* other = got.find(member.first);
    return other && matches(member.second, *other);
  });
}

inline void merge(Value& into, const Value& patch) {
  if (!patch.is_map()) {
    into = patch;
    return;
  }
  if (!into.is_map()) into = Value::map();
  for (const auto& [name, value] : patch.as_map()) {
    if (value.is_null()) {
      into.erase(name);
    } else {
      merge(into[name], value);
    }
  }
}

inline std::string text_of(const Value& owner, std::string_view name) {
  const Value* value = owner.find(name);
  return value && value->is_string() ? value->as_string() : "";
}

inline const Value* at_pointer(const Value& value, std::string_view pointer) {
  const Value* here = &value;
  while (here && !pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t slash = std::min(pointer.find('/'), pointer.size());
    const std::string_view part = pointer.substr(0, slash);
    if (here->is_list()) {
      const auto index = static_cast<std::size_t>(std::stoi(std::string(part)));
      here = index < here->as_list().size() ? &here->as_list()[index] : nullptr;
    } else {
      here = here->find(part);
    }
    pointer.remove_prefix(slash);
  }
  return here;
}

}  // namespace dray::api::replay
