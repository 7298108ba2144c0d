/// Type parameters and what they stand for, while an expression is checked.
/// Source: cel-go checker/types.go, checker/mapping.go.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cel/types.h"

namespace dray::cel {

class Unifier {
 public:
  explicit Unifier(TypePool& pool) : pool_(pool) {}

  /// Whether `from` fits `to`; what parameters have to stand for is then kept, else nothing is.
  bool assignable(TypeRef from, TypeRef to);
  bool assignable(const std::vector<TypeRef>& from, const std::vector<TypeRef>& to);
  /// `t` with bound parameters replaced; unbound ones become dyn if `free_to_dyn`.
  TypeRef substitute(TypeRef t, bool free_to_dyn);
  void bind(TypeRef param, TypeRef to) { set(param->name, to); }
  [[nodiscard]] bool exhausted() const { return steps_ > kStepsMax; }

  /// The more general of two types that unify.
  static TypeRef most_general(TypeRef a, TypeRef b);

 private:
  static constexpr int kStepsMax = 20'000'000;
  bool fits(TypeRef a, TypeRef b);
  bool fit(const std::vector<TypeRef>& a, const std::vector<TypeRef>& b);
  std::pair<bool, bool> substitutes(TypeRef t1, TypeRef t2);
  bool absent_in(TypeRef param, TypeRef within);
  TypeRef find(TypeRef t) const;
  void set(const std::string& name, TypeRef to);
  void roll_back(std::size_t mark);

  TypePool& pool_;
  std::unordered_map<std::string, TypeRef> bound_;
  std::vector<std::pair<std::string, TypeRef>> trail_;  // name and what it was before
  int steps_ = 0;
};

}  // namespace dray::cel
