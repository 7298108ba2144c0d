/// A JSON value as a tree: what texts are parsed to, what patches, CRDs and CEL work on.
/// A value type. Objects keep the order of the text, and duplicate keys, until someone asks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace dray {

class Value {
 public:
  using List = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Map = std::vector<Member>;
  enum class Type : std::uint8_t { kNull, kBool, kInt, kDouble, kString, kList, kMap };

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool b) : data_(b) {}
  Value(int i) : data_(std::int64_t{i}) {}
  Value(std::int64_t i) : data_(i) {}
  /// NaN and infinities have no JSON: they print as null.
  Value(double d) : data_(d) {}
  Value(std::string s) : data_(std::move(s)) {}
  Value(std::string_view s) : data_(std::string(s)) {}
  Value(const char* s) : data_(std::string(s)) {}
  Value(List list) : data_(std::move(list)) {}
  Value(Map map) : data_(std::move(map)) {}
  static Value map() { return Value(Map{}); }
  static Value list() { return Value(List{}); }

  [[nodiscard]] Type type() const { return static_cast<Type>(data_.index()); }
  /// "null", "boolean", "integer", "number", "string", "array", "object".
  [[nodiscard]] std::string_view type_name() const;
  [[nodiscard]] bool is_null() const { return type() == Type::kNull; }
  [[nodiscard]] bool is_bool() const { return type() == Type::kBool; }
  [[nodiscard]] bool is_int() const { return type() == Type::kInt; }
  [[nodiscard]] bool is_double() const { return type() == Type::kDouble; }
  [[nodiscard]] bool is_number() const { return is_int() || is_double(); }
  [[nodiscard]] bool is_string() const { return type() == Type::kString; }
  [[nodiscard]] bool is_list() const { return type() == Type::kList; }
  [[nodiscard]] bool is_map() const { return type() == Type::kMap; }

  // The type must be the asked one.
  [[nodiscard]] bool as_bool() const { return std::get<bool>(data_); }
  [[nodiscard]] std::int64_t as_int() const { return std::get<std::int64_t>(data_); }
  /// Also of an integer.
  [[nodiscard]] double as_double() const;
  [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(data_); }
  [[nodiscard]] std::string& as_string() { return std::get<std::string>(data_); }
  [[nodiscard]] const List& as_list() const { return std::get<List>(data_); }
  [[nodiscard]] List& as_list() { return std::get<List>(data_); }
  [[nodiscard]] const Map& as_map() const { return std::get<Map>(data_); }
  [[nodiscard]] Map& as_map() { return std::get<Map>(data_); }

  /// The member of a map, the last one of duplicates; null if absent or if this is no map.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Value* find(std::string_view key);
  /// The member, added as null if absent. This must be a map, or null (which becomes a map).
  Value& operator[](std::string_view key);
  /// Replaces or appends.
  void set(std::string_view key, Value value);
  /// Whether there was one.
  bool erase(std::string_view key);

  /// Where the text had it. Not part of equality.
  Position at{};

  /// Deep; maps compare without order, numbers by value (1 == 1.0).
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map> data_;
};

struct ParseLimits {
  /// Kubernetes' decoder stops at 10,000 (Go's stacks grow); here every walker over a Value recurses
  /// on a thread's stack of 8 MiB. No object of the API comes near.
  int depth_max = 1000;
};

/// One JSON text (RFC 8259) as Go reads it: invalid UTF-8 and lone surrogates become U+FFFD, integers
/// that fit 64 bits are ints, other numbers doubles.
/// Error kBadRequest: "line 3, column 7: " and Go's text. `causes` has one cause with Go's text alone
/// (as the API answers) and the position; columns count bytes.
[[nodiscard]] Result<Value> parse_json(std::string_view text, ParseLimits limits = {});

/// Every document of a YAML text as Kubernetes reads it (sigs.k8s.io/yaml, YAML 1.1: yes, no, on and
/// off are booleans, 0777 is octal, a float that is whole becomes an int, timestamps stay strings),
/// anchors and merge keys resolved, bounded against alias bombs. JSON is YAML too, also several JSON
/// texts in a row. Empty documents are left out. Duplicate keys are kept, as in JSON.
/// Error kBadRequest, with line and column in the message, and one cause as above.
[[nodiscard]] Result<std::vector<Value>> parse_yaml(std::string_view text, ParseLimits limits = {});

/// Compact JSON as Go's encoder writes it: <, >, & and U+2028/9 escaped, keys in the order they have
/// (`sort_keys`: sorted at every level).
[[nodiscard]] std::string print_json(const Value& value, bool sort_keys = false);
/// Appends to `out`; the string with quotes, escaped as above.
void append_json_string(std::string& out, std::string_view text);
void append_json_double(std::string& out, double number);
/// Block-style YAML byte for byte as Kubernetes' tools write it: keys sorted ("a2" before "a10"), long
/// plain texts folded after 80 columns, texts of several lines as literal blocks.
[[nodiscard]] std::string print_yaml(const Value& value);

}  // namespace dray
