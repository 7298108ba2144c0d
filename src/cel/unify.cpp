#include "cel/unify.h"

namespace dray::cel {
namespace {

bool less_specific(TypeRef a, TypeRef b) {
  if (is_dyn(a) || a->kind == TypeKind::kParam) return true;
  if (is_dyn(b) || b->kind == TypeKind::kParam) return false;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeKind::kOpaque:
      if (a->name != b->name || a->params.size() != b->params.size()) return false;
      [[fallthrough]];
    case TypeKind::kList:
    case TypeKind::kMap:
      for (std::size_t i = 0; i < a->params.size(); ++i)
        if (!less_specific(a->params[i], b->params[i])) return false;
      return true;
    case TypeKind::kType: return true;
    default: return is_exact(a, b);
  }
}

bool takes_null(TypeRef t) {
  switch (t->kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp: return true;
    default: return is_assignable(t, &types::kNull);
  }
}

bool wild(TypeRef t) { return is_dyn(t) || is_error(t); }

}  // namespace

TypeRef Unifier::most_general(TypeRef a, TypeRef b) { return less_specific(a, b) ? a : b; }

TypeRef Unifier::find(TypeRef t) const {
  if (t->kind != TypeKind::kParam) return nullptr;
  const auto it = bound_.find(t->name);
  return it == bound_.end() ? nullptr : it->second;
}

void Unifier::set(const std::string& name, TypeRef to) {
  TypeRef& slot = bound_[name];
  trail_.emplace_back(name, slot);
  slot = to;
}

void Unifier::roll_back(std::size_t mark) {
  for (; trail_.size() > mark; trail_.pop_back()) {
    const auto& [name, before] = trail_.back();
    before == nullptr ? static_cast<void>(bound_.erase(name)) : static_cast<void>(bound_[name] = before);
  }
}

bool Unifier::assignable(TypeRef from, TypeRef to) {
  trail_.clear();
  if (fits(from, to)) return true;
  roll_back(0);
  return false;
}

bool Unifier::assignable(const std::vector<TypeRef>& from, const std::vector<TypeRef>& to) {
  trail_.clear();
  if (fit(from, to)) return true;
  roll_back(0);
  return false;
}

bool Unifier::fit(const std::vector<TypeRef>& a, const std::vector<TypeRef>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!fits(a[i], b[i])) return false;
  return true;
}

bool Unifier::fits(TypeRef a, TypeRef b) {
  if (++steps_ > kStepsMax) return false;
  if (b->kind == TypeKind::kParam) {
    const auto [valid, bound] = substitutes(a, b);
    if (valid) return true;
    if (bound) return false;
  }
  if (a->kind == TypeKind::kParam) return substitutes(b, a).first;
  if (wild(a) || wild(b)) return true;
  if (a->kind == TypeKind::kNull) return takes_null(b);
  if (b->kind == TypeKind::kNull) return takes_null(a);
  switch (a->kind) {
    case TypeKind::kType: return b->kind == TypeKind::kType;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap: return a->kind == b->kind && a->name == b->name && fit(a->params, b->params);
    default: return is_assignable(b, a);
  }
}

/// Whether the parameter t2, or what it stands for, can stand for t1; and whether it stands for
/// something.
std::pair<bool, bool> Unifier::substitutes(TypeRef t1, TypeRef t2) {
  if (t1->kind == t2->kind && is_exact(t1, t2)) return {true, true};
  if (const TypeRef bound = find(t2)) {
    if (t1->kind == bound->kind && is_exact(t1, bound)) return {true, true};
    if (!fits(t1, bound)) return {false, true};
    const TypeRef general = most_general(t1, bound);
    if (absent_in(t2, general)) set(t2->name, general);
    return {true, true};
  }
  if (!absent_in(t2, t1)) return {false, false};
  set(t2->name, t1);
  return {true, false};
}

bool Unifier::absent_in(TypeRef param, TypeRef within) {
  if (++steps_ > kStepsMax) return false;
  if (is_exact(param, within)) return false;
  if (within->kind == TypeKind::kParam) {
    const TypeRef bound = find(within);
    return bound == nullptr || absent_in(param, bound);
  }
  for (const TypeRef p : within->params)
    if (!absent_in(param, p)) return false;
  return true;
}

TypeRef Unifier::substitute(TypeRef t, bool free_to_dyn) {
  if (++steps_ > kStepsMax) return &types::kDyn;
  if (const TypeRef bound = find(t)) return substitute(bound, free_to_dyn);
  if (t->kind == TypeKind::kParam) return free_to_dyn ? &types::kDyn : t;
  if (t->params.empty()) return t;
  Type out{t->kind, t->name, {}, t->nullable};
  bool changed = false;
  for (const TypeRef p : t->params) {
    out.params.push_back(substitute(p, free_to_dyn));
    changed = changed || out.params.back() != p;
  }
  return changed ? pool_.make(std::move(out)) : t;
}

}  // namespace dray::cel
