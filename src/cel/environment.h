/// What an expression may use: functions, variables, types, macros, and how strict it is checked.
/// Source: cel-go cel/env.go, common/decls, checker/env.go.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cel/eval.h"
#include "cel/parser.h"
#include "cel/types.h"

namespace dray::cel {

/// How an implementation takes its arguments: it matters for what the reference says when none fits.
enum class Shape : std::uint8_t { kNone, kUnary, kBinary, kMany };

struct Overload {
  std::string id;
  bool member = false;
  std::vector<TypeRef> args;  // of a member: the target first
  TypeRef result = nullptr;
  std::vector<std::string> params;  // type parameters
  Fn fn = nullptr;                  // null: the function's own, or handled by the planner
  Shape shape = Shape::kNone;
  bool non_strict = false;
};

struct Function {
  std::string name;
  std::vector<Overload> overloads;
  /// One implementation for all overloads, for values with all of `traits`.
  Fn singleton = nullptr;
  Shape singleton_shape = Shape::kNone;
  unsigned traits = 0;
  /// Overloads look at the types of their arguments first.
  bool type_guards = true;

  [[nodiscard]] const Overload* find(std::string_view id) const;
};

struct Variable {
  std::string name;
  TypeRef type;
};

/// A type with fields.
struct StructType {
  TypeRef type;
  std::map<std::string, TypeRef, std::less<>> fields;
};

/// Built once, immutable afterwards and shared between threads.
class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Building.

  /// Adds overloads to a function, which is made if it is new.
  class Declare {
   public:
    explicit Declare(Function& function) : function_(function) {}
    Declare& global(std::string_view id, std::vector<TypeRef> args, TypeRef result, Fn fn = nullptr,
                    Shape shape = Shape::kNone);
    Declare& member(std::string_view id, std::vector<TypeRef> args, TypeRef result, Fn fn = nullptr,
                    Shape shape = Shape::kNone);
    Declare& singleton(Fn fn, Shape shape, unsigned traits = 0);
    Declare& non_strict();
    Declare& no_type_guards();

   private:
    Declare& add(Overload overload);
    Function& function_;
  };
  Declare declare(std::string_view function);
  int add_variable(std::string_view name, TypeRef type);
  void add_type(TypeRef type, std::string_view name = {});
  StructType& add_struct(std::string_view name);
  void add_constant(std::string_view name, std::int64_t value) { constants_[std::string(name)] = value; }
  void add_macros(std::span<const Macro> macros);

  TypePool pool;
  ParserOptions parser;
  std::string container;
  /// Lists and maps in literals hold one type.
  bool homogeneous_literals = false;
  /// Arguments of duration(), timestamp(), matches() and format() that are literals are checked.
  bool validate_literals = false;
  bool validate_formats = false;
  bool cross_type_comparisons = true;
  /// Kubernetes' functions and their costs.
  bool kubernetes_costs = false;
  /// has() costs 1.
  bool presence_test_costs = true;
  /// Costs of the list library (version 3) and of sets.
  bool list_costs = false;
  bool set_costs = false;

  // Asking.

  /// The names that `name` may mean in the container, the innermost first.
  [[nodiscard]] std::vector<std::string> candidates(std::string_view name) const;
  [[nodiscard]] const Function* find_function(std::string_view name) const;
  /// Index of a variable, or -1.
  [[nodiscard]] int find_variable(std::string_view name) const;
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  /// The type that a name stands for, or null.
  [[nodiscard]] TypeRef find_type(std::string_view name) const;
  [[nodiscard]] const StructType* find_struct(std::string_view name) const;
  [[nodiscard]] const std::int64_t* find_constant(std::string_view name) const;
  /// All names of functions and variables: for hints.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::map<std::string, Function, std::less<>> functions_;
  std::vector<Variable> variables_;
  std::map<std::string, int, std::less<>> variable_index_;
  std::map<std::string, TypeRef, std::less<>> types_;
  std::map<std::string, StructType, std::less<>> structs_;
  std::map<std::string, std::int64_t, std::less<>> constants_;
};

}  // namespace dray::cel
