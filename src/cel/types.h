/// Types of expressions, and the questions the checker asks about them.
/// Source: cel-go common/types/types.go, checker/format.go.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

enum class TypeKind : std::uint8_t {
  kDyn, kAny, kBool, kBytes, kDouble, kDuration, kError, kInt, kList, kMap, kNull, kOpaque,
  kString, kStruct, kTimestamp, kType, kParam, kUint
};

struct Type;
using TypeRef = const Type*;

/// Immutable; compared by content, see below. Lives in a TypePool or is one of the constants.
struct Type {
  TypeKind kind = TypeKind::kDyn;
  std::string name;  // at run time: "int", "list", "google.protobuf.Duration"
  std::vector<TypeRef> params{};
  bool nullable = false;  // a wrapper: the type or null
  std::uint32_t depth = 1;
  std::uint32_t weight = 1;  // nodes, if it were written out
};

namespace types {
extern const Type kDyn, kAny, kBool, kBytes, kDouble, kDuration, kError, kInt, kNull, kString,
    kTimestamp, kType, kUint, kListDyn, kMapDyn, kOptional;
}

/// Owns composed types. Refuses to grow types that no person writes: `overflow` is then set and
/// the type is dyn.
class TypePool {
 public:
  TypeRef list(TypeRef element);
  TypeRef map(TypeRef key, TypeRef value);
  TypeRef optional(TypeRef value);
  TypeRef opaque(std::string_view name, std::vector<TypeRef> params = {});
  TypeRef structure(std::string_view name);
  TypeRef type_of(TypeRef type);
  TypeRef param(std::string_view name);
  TypeRef nullable(TypeRef type);
  TypeRef make(Type type);
  [[nodiscard]] bool overflow() const { return overflow_; }

 private:
  static constexpr std::uint32_t kDepthMax = 600;
  static constexpr std::uint32_t kWeightMax = 20'000;
  std::deque<Type> types_;
  bool overflow_ = false;
};

/// Same kind, name and parameters.
[[nodiscard]] bool is_exact(TypeRef a, TypeRef b);
/// As is_exact, but all type parameters are alike.
[[nodiscard]] bool is_equivalent(TypeRef a, TypeRef b);
/// Whether a value of `from` may stand where `to` is wanted, without type parameters.
[[nodiscard]] bool is_assignable(TypeRef to, TypeRef from);
[[nodiscard]] inline bool is_dyn(TypeRef t) {
  return t->kind == TypeKind::kDyn || t->kind == TypeKind::kAny;
}
[[nodiscard]] inline bool is_error(TypeRef t) { return t->kind == TypeKind::kError; }
[[nodiscard]] bool is_optional(TypeRef t);

/// As in messages of the checker: "list(int)", "any", "wrapper(bool)".
[[nodiscard]] std::string format_type(TypeRef t);
/// As the type of an expression is shown: "google.protobuf.Any", "<T>".
[[nodiscard]] std::string type_text(TypeRef t);
/// "(int, string)" or "list(int).(string)".
[[nodiscard]] std::string format_signature(const std::vector<TypeRef>& args, bool is_member);

}  // namespace dray::cel
