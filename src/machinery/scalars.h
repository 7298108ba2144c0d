/// The small value types that API structs are made of beside strings, numbers, Quantity and Time.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include "machinery/value.h"

namespace dray {

/// A bool as an element of a list: std::vector<bool> has no addressable elements.
struct Bool {
  bool value = false;
  Bool() = default;
  Bool(bool b) : value(b) {}
  operator bool() const { return value; }
};

/// Base64 in JSON.
struct Bytes {
  std::string data;
  auto operator<=>(const Bytes&) const = default;
};

/// A port or a percentage: an integer or a string in JSON.
struct IntOrString {
  bool is_string = false;
  std::int32_t number = 0;
  std::string text;

  IntOrString() = default;
  IntOrString(std::int32_t n) : number(n) {}
  IntOrString(std::string s) : is_string(true), text(std::move(s)) {}
  [[nodiscard]] std::string str() const { return is_string ? text : std::to_string(number); }
  bool operator==(const IntOrString&) const = default;
};

/// Any JSON: runtime.RawExtension, FieldsV1, JSON of a CRD's schema. A null value means absent.
struct RawExtension {
  Value value;
  bool operator==(const RawExtension&) const = default;
};

}  // namespace dray
