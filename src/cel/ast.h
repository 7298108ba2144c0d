/// The syntax tree of an expression, with macros expanded, and what checking found out about it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cel/source.h"

namespace dray::cel {

struct Type;
using TypeRef = const Type*;

enum class LiteralKind : std::uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kBytes };

struct Literal {
  LiteralKind kind = LiteralKind::kNull;
  std::int64_t integer = 0;  // kInt, kUint (as bits), kBool
  double number = 0;
  std::string text;  // kString, kBytes

  static Literal of_bool(bool b) { return {LiteralKind::kBool, b, 0, {}}; }
  static Literal of_int(std::int64_t i) { return {LiteralKind::kInt, i, 0, {}}; }
  static Literal of_string(std::string s) { return {LiteralKind::kString, 0, 0, std::move(s)}; }
};

enum class ExprKind : std::uint8_t {
  kUnspecified, kLiteral, kIdent, kSelect, kCall, kList, kMap, kStruct, kFold
};

struct Expr;

/// An entry of a map (key) or of a message (field).
struct Entry {
  int id = 0;
  Expr* key = nullptr;
  std::string field;
  Expr* value = nullptr;
  bool optional = false;
};

/// A comprehension: what macros over lists and maps, and cel.bind, become.
struct Fold {
  std::string variable;
  std::string variable2;  // empty in the forms with one variable
  std::string accumulator;
  Expr* range = nullptr;
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

struct Expr {
  int id = 0;
  ExprKind kind = ExprKind::kUnspecified;
  bool test_only = false;      // kSelect: has(operand.name)
  std::string name;            // identifier, field, function, type
  Literal literal;
  Expr* operand = nullptr;     // kSelect; kCall: the target of a member call, or null
  std::vector<Expr*> args;     // kCall; kList: elements
  std::vector<bool> optional;  // kList: empty, or one for each element
  std::vector<Entry> entries;  // kMap, kStruct
  std::unique_ptr<Fold> fold;

  [[nodiscard]] bool is_member_call() const { return operand != nullptr; }
  [[nodiscard]] bool is_literal(LiteralKind k) const {
    return kind == ExprKind::kLiteral && literal.kind == k;
  }
};

/// What an identifier or a call was found to be.
struct Reference {
  bool found = false;
  std::string name;                    // of the variable
  std::vector<std::string> overloads;  // of the function
  bool constant = false;               // the identifier is an enum's value
  std::int64_t value = 0;
};

/// Owns the nodes. `types` and `references` are filled by the checker, by id.
class Ast {
 public:
  explicit Ast(std::string_view text, std::string description = "<input>")
      : source(text, std::move(description)) {}
  Ast(const Ast&) = delete;
  Ast& operator=(const Ast&) = delete;

  Expr* make(int id, ExprKind kind) {
    Expr& e = nodes_.emplace_back();
    e.id = id;
    e.kind = kind;
    return &e;
  }
  /// A new id for something at `offset` (-1: nowhere).
  int new_id(int offset);
  void drop_id(int id);
  void move_id(int id, int offset) { offsets_[static_cast<std::size_t>(id)] = offset; }
  [[nodiscard]] int offset_of(int id) const;
  [[nodiscard]] Location location_of(int id) const { return source.location(offset_of(id)); }
  [[nodiscard]] int id_end() const { return next_id_; }

  [[nodiscard]] TypeRef type_of(const Expr* e) const {
    const auto index = static_cast<std::size_t>(e->id);
    return index < types.size() ? types[index] : nullptr;
  }
  [[nodiscard]] const Reference* reference_of(const Expr* e) const {
    const auto index = static_cast<std::size_t>(e->id);
    return index < references.size() && references[index].found ? &references[index] : nullptr;
  }

  Source source;
  Expr* root = nullptr;
  std::vector<TypeRef> types;
  std::vector<Reference> references;

 private:
  std::deque<Expr> nodes_;
  std::vector<int> offsets_{-1};
  int next_id_ = 1;
};

}  // namespace dray::cel
