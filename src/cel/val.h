/// Values while an expression is evaluated: small, copied freely, never owning.
/// What they point at lives in the arena of the evaluation, in the program, or in its input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cel/types.h"

namespace dray {
class Quantity;
}

namespace dray::cel {

class Arena;
class ListObj;
class MapObj;
struct Semver;
struct Url;
struct Ip;
struct NamedFormat;
struct Val;

enum class ValKind : std::uint8_t {
  kNull, kBool, kInt, kUint, kDouble, kString, kBytes, kDuration, kTimestamp, kType,
  kList, kMap, kOptional, kQuantity, kSemver, kUrl, kIp, kCidr, kFormat,
  kError, kUnknown
};

/// Trivially copyable, 24 bytes.
struct Val {
  ValKind kind = ValKind::kNull;
  /// kQuantity: it came out of add or sub (the reference compares it from the left only).
  /// kTimestamp: the offset of its time zone is written as "Z".
  bool flag = false;
  std::int32_t nanos = 0;  // kTimestamp
  union {
    bool boolean;
    std::int64_t integer = 0;  // kInt, kDuration (nanoseconds), kTimestamp (seconds since 1970)
    std::uint64_t natural;     // kUint
    double number;             // kDouble
    const char* chars;         // kString, kBytes, kError (its text)
    TypeRef type;
    const ListObj* list;
    const MapObj* map;
    const Val* inner;  // kOptional, null: none
    const Quantity* quantity;
    const Semver* semver;
    const Url* url;
    const Ip* ip;  // kIp, kCidr
    const NamedFormat* format;
  };
  std::uint64_t size = 0;  // of the text; kTimestamp: seconds east of UTC, as signed

  static Val null() { return {}; }
  static Val of(bool b) { return make(ValKind::kBool, [&](Val& v) { v.integer = 0; v.boolean = b; }); }
  static Val of_int(std::int64_t i) { return make(ValKind::kInt, [&](Val& v) { v.integer = i; }); }
  static Val of_uint(std::uint64_t u) { return make(ValKind::kUint, [&](Val& v) { v.natural = u; }); }
  static Val of_double(double d) { return make(ValKind::kDouble, [&](Val& v) { v.number = d; }); }
  /// Borrows the text.
  static Val of_string(std::string_view s) { return of_text(ValKind::kString, s); }
  static Val of_bytes(std::string_view s) { return of_text(ValKind::kBytes, s); }
  static Val of_duration(std::int64_t nanoseconds) {
    return make(ValKind::kDuration, [&](Val& v) { v.integer = nanoseconds; });
  }
  static Val of_timestamp(std::int64_t seconds, std::int32_t nanoseconds, std::int64_t offset = 0) {
    return make(ValKind::kTimestamp, [&](Val& v) {
      v.integer = seconds;
      v.nanos = nanoseconds;
      v.size = static_cast<std::uint64_t>(offset);
    });
  }
  static Val of_type(TypeRef t) { return make(ValKind::kType, [&](Val& v) { v.type = t; }); }
  static Val of_list(const ListObj* l) { return make(ValKind::kList, [&](Val& v) { v.list = l; }); }
  static Val of_map(const MapObj* m) { return make(ValKind::kMap, [&](Val& v) { v.map = m; }); }
  static Val none() { return make(ValKind::kOptional, [](Val& v) { v.inner = nullptr; }); }
  static Val of_optional(const Val* inner) {
    return make(ValKind::kOptional, [&](Val& v) { v.inner = inner; });
  }
  static Val of_quantity(const Quantity* q) {
    return make(ValKind::kQuantity, [&](Val& v) { v.quantity = q; });
  }
  static Val of_semver(const Semver* s) {
    return make(ValKind::kSemver, [&](Val& v) { v.semver = s; });
  }
  static Val of_url(const Url* u) { return make(ValKind::kUrl, [&](Val& v) { v.url = u; }); }
  static Val of_ip(const Ip* i) { return make(ValKind::kIp, [&](Val& v) { v.ip = i; }); }
  static Val of_cidr(const Ip* i) { return make(ValKind::kCidr, [&](Val& v) { v.ip = i; }); }
  static Val of_format(const NamedFormat* f) {
    return make(ValKind::kFormat, [&](Val& v) { v.format = f; });
  }
  /// Borrows the text.
  static Val error(std::string_view text) { return of_text(ValKind::kError, text); }
  static Val unknown() { return make(ValKind::kUnknown, [](Val&) {}); }

  [[nodiscard]] bool is(ValKind k) const { return kind == k; }
  [[nodiscard]] bool failed() const { return kind >= ValKind::kError; }
  [[nodiscard]] bool is_true() const { return kind == ValKind::kBool && boolean; }
  [[nodiscard]] bool is_false() const { return kind == ValKind::kBool && !boolean; }
  [[nodiscard]] std::string_view text() const { return {chars, size}; }
  [[nodiscard]] std::int64_t zone() const { return static_cast<std::int64_t>(size); }

 private:
  template <class Set>
  static Val make(ValKind kind, Set set) {
    Val v;
    v.kind = kind;
    set(v);
    return v;
  }
  static Val of_text(ValKind kind, std::string_view s) {
    return make(kind, [&](Val& v) {
      v.chars = s.data();
      v.size = s.size();
    });
  }
};
static_assert(sizeof(Val) == 24);

/// A list. Elements are made when asked for.
class ListObj {
 public:
  /// How the reference holds it: it matters for what `==` says about elements that fail.
  enum class Form : std::uint8_t { kPlain, kConcat, kMutable };
  explicit ListObj(Form form = Form::kPlain) : form_(form) {}
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// `index` < size().
  [[nodiscard]] virtual Val at(Arena& arena, std::size_t index) const = 0;
  [[nodiscard]] Form form() const { return form_; }
  /// Go's name of the type that the reference holds it in: error texts quote it.
  [[nodiscard]] virtual std::string_view go_type() const { return "*types.baseList"; }

 protected:
  ~ListObj() = default;

 private:
  Form form_;
};

class MapObj {
 public:
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// False if there is no such key. A failed value is an error of the lookup.
  [[nodiscard]] virtual bool find(Arena& arena, const Val& key, Val& value) const = 0;
  /// The `index`-th key, in the order of the map.
  [[nodiscard]] virtual Val key_at(Arena& arena, std::size_t index) const = 0;
  [[nodiscard]] virtual Val value_at(Arena& arena, std::size_t index) const = 0;
  /// What `find` answers, except that defaults are not there (`in`).
  [[nodiscard]] virtual bool contains(Arena& arena, const Val& key) const {
    Val ignored;
    return find(arena, key, ignored);
  }
  [[nodiscard]] virtual std::string_view go_type() const { return "*types.baseMap"; }

 protected:
  ~MapObj() = default;
};

/// The type that `type(v)` answers: "int", "list", "kubernetes.Quantity".
[[nodiscard]] std::string_view type_name(const Val& v);
[[nodiscard]] TypeRef type_of(const Val& v);

// What a type can do, as the reference asks before it calls an operator.
namespace traits {
inline constexpr unsigned kAdder = 1, kComparer = 2, kContainer = 4, kDivider = 8,
                          kFieldTester = 16, kIndexer = 32, kIterable = 64, kMatcher = 128,
                          kModder = 256, kMultiplier = 512, kNegator = 1024, kReceiver = 2048,
                          kSizer = 4096, kSubtractor = 8192, kLister = kAdder | kContainer | kIndexer | kIterable | kSizer;
}
[[nodiscard]] unsigned traits_of(const Val& v);

}  // namespace dray::cel
