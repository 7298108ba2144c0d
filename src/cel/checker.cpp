#include "cel/checker.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cel/unify.h"

namespace dray::cel {
namespace {

bool cross_type_comparison(const std::string& id) {
  static constexpr std::string_view kMixed[] = {"double_int64", "double_uint64", "int64_double",
                                                "int64_uint64", "uint64_double", "uint64_int64"};
  if (!id.starts_with("less_") && !id.starts_with("greater_")) return false;
  return std::any_of(std::begin(kMixed), std::end(kMixed),
                     [&](std::string_view s) { return id.ends_with(s); });
}

TypeRef literal_type(LiteralKind kind) {
  switch (kind) {
    case LiteralKind::kNull: return &types::kNull;
    case LiteralKind::kBool: return &types::kBool;
    case LiteralKind::kInt: return &types::kInt;
    case LiteralKind::kUint: return &types::kUint;
    case LiteralKind::kDouble: return &types::kDouble;
    case LiteralKind::kString: return &types::kString;
    case LiteralKind::kBytes: return &types::kBytes;
  }
  return &types::kDyn;
}

/// "a.b.c" of a chain of selections that starts with an identifier.
std::optional<std::string> qualified_name(const Expr* e) {
  if (e->kind == ExprKind::kIdent) return e->name;
  if (e->kind != ExprKind::kSelect || e->test_only) return std::nullopt;
  auto prefix = qualified_name(e->operand);
  if (prefix) *prefix += "." + e->name;
  return prefix;
}

class Checker {
 public:
  Checker(Ast& ast, const Environment& env, TypePool& pool, Issues& issues)
      : ast_(ast), env_(env), pool_(pool), issues_(issues), unifier_(pool) {}

  void run() {
    ast_.types.assign(static_cast<std::size_t>(ast_.id_end()), nullptr);
    ast_.references.assign(static_cast<std::size_t>(ast_.id_end()), {});
    check(ast_.root);
    for (TypeRef& t : ast_.types)
      if (t != nullptr) t = unifier_.substitute(t, true);
    if (pool_.overflow() || unifier_.exhausted())
      issues_.add({}, "expression is too complex to be checked");
  }

 private:
  struct Found {
    std::string name;
    TypeRef type = nullptr;
    const std::int64_t* constant = nullptr;
  };

  // What is known.

  TypeRef type_of(const Expr* e) { return ast_.types[static_cast<std::size_t>(e->id)]; }
  TypeRef set(const Expr* e, TypeRef t) { return ast_.types[static_cast<std::size_t>(e->id)] = t; }
  Reference& refer(const Expr* e) {
    Reference& r = ast_.references[static_cast<std::size_t>(e->id)];
    r.found = true;
    return r;
  }

  void report(int id, std::string message) {
    issues_.add(ast_.location_of(id), std::move(message));
  }
  void undeclared(const Expr* e, const std::string& name) {
    report(e->id, fmt::format("undeclared reference to '{}' (in container '{}')", name,
                              env_.container));
  }
  void mismatch(int id, TypeRef expected, TypeRef found) {
    report(id, fmt::format("expected type '{}' but found '{}'", format_type(expected),
                           format_type(found)));
  }

  TypeRef new_variable() { return pool_.param("_var" + std::to_string(variables_++)); }

  // Names.

  TypeRef local(const std::string& name) const {
    for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
      if (it->first == name) return it->second;
    return nullptr;
  }

  bool global(const std::string& name, Found& out) {
    out.name = name;
    out.constant = nullptr;
    if (const int index = env_.find_variable(name); index >= 0)
      return out.type = env_.variables()[static_cast<std::size_t>(index)].type, true;
    if (const TypeRef type = env_.find_type(name)) return out.type = pool_.type_of(type), true;
    if (const StructType* s = env_.find_struct(name)) return out.type = pool_.type_of(s->type), true;
    out.constant = env_.find_constant(name);
    out.type = &types::kInt;
    return out.constant != nullptr;
  }

  bool resolve(const std::string& name, const std::string& first, bool simple, Found& out) {
    const TypeRef shadow = local(first.starts_with('.') ? first.substr(1) : first);
    if (shadow != nullptr && !first.starts_with('.')) {
      if (!simple) return false;  // a selection on the local variable
      out = {name, shadow, nullptr};
      return true;
    }
    for (const std::string& candidate : env_.candidates(name)) {
      if (!global(candidate, out)) continue;
      if (shadow != nullptr) out.name = "." + out.name;
      return true;
    }
    return false;
  }

  void becomes_ident(Expr* e, const Found& found) {
    set(e, found.type);
    Reference& r = refer(e);
    r.name = found.name;
    r.constant = found.constant != nullptr;
    if (r.constant) r.value = *found.constant;
    e->kind = ExprKind::kIdent;
    e->name = found.name;
    e->operand = nullptr;
  }

  const Function* function(const std::string& name) {
    for (const std::string& candidate : env_.candidates(name))
      if (const Function* f = env_.find_function(candidate)) return f;
    return nullptr;
  }

  // Expressions.

  void check(Expr* e) {
    switch (e->kind) {
      case ExprKind::kLiteral: set(e, literal_type(e->literal.kind)); return;
      case ExprKind::kIdent: return check_ident(e);
      case ExprKind::kSelect: return check_select(e);
      case ExprKind::kCall: return check_call(e);
      case ExprKind::kList: return check_list(e);
      case ExprKind::kMap: return check_map(e);
      case ExprKind::kStruct: return check_struct(e);
      case ExprKind::kFold: return check_fold(e);
      case ExprKind::kUnspecified: set(e, &types::kError); return;
    }
  }

  void check_ident(Expr* e) {
    Found found;
    if (resolve(e->name, e->name, true, found)) return becomes_ident(e, found);
    set(e, &types::kError);
    undeclared(e, e->name);
  }

  void check_select(Expr* e) {
    if (!e->test_only) {
      if (const auto name = qualified_name(e)) {
        const std::string first = name->substr(0, name->find('.', 1));
        Found found;
        if (resolve(*name, first, false, found)) return becomes_ident(e, found);
      }
    }
    TypeRef type = check_field(e, e->operand, e->name, false);
    if (e->test_only) type = &types::kBool;
    set(e, unifier_.substitute(type, false));
  }

  TypeRef check_field(Expr* e, Expr* operand, const std::string& field, bool optional) {
    check(operand);
    TypeRef target = unifier_.substitute(type_of(operand), false);
    const bool was_optional = is_optional(target);
    if (was_optional) target = target->params[0];
    TypeRef result = &types::kError;
    switch (target->kind) {
      case TypeKind::kMap: result = target->params[1]; break;
      case TypeKind::kStruct: {
        const StructType* s = env_.find_struct(target->name);
        if (s == nullptr) {
          report(e->id, fmt::format("unexpected failed resolution of '{}'", target->name));
        } else if (const auto it = s->fields.find(field); it != s->fields.end()) {
          result = it->second;
        } else {
          report(e->id, fmt::format("undefined field '{}'", field));
        }
        break;
      }
      case TypeKind::kParam:
        unifier_.assignable(&types::kDyn, target);
        result = &types::kDyn;
        break;
      default:
        if (!is_dyn(target) && !is_error(target))
          report(e->id, fmt::format("type '{}' does not support field selection", format_type(target)));
        result = &types::kDyn;
    }
    return was_optional || optional ? pool_.optional(result) : result;
  }

  void check_call(Expr* e) {
    if (e->name == "_?._" && !e->is_member_call()) return check_optional_select(e);
    for (Expr* arg : e->args) check(arg);
    if (!e->is_member_call()) {
      const Function* f = function(e->name);
      if (f == nullptr) {
        undeclared(e, e->name);
        set(e, &types::kError);
        return;
      }
      e->name = f->name;
      return resolve_overload(e, *f);
    }
    if (const auto prefix = qualified_name(e->operand)) {
      if (const Function* f = function(*prefix + "." + e->name)) {
        e->operand = nullptr;
        e->name = f->name;
        return resolve_overload(e, *f);
      }
    }
    check(e->operand);
    if (const Function* f = function(e->name)) return resolve_overload(e, *f);
    set(e, &types::kError);
    undeclared(e, e->name);
  }

  void check_optional_select(Expr* e) {
    if (e->args.size() != 2 || !e->args[1]->is_literal(LiteralKind::kString)) {
      report(e->id, "unsupported optional field selection");
      set(e, &types::kError);
      return;
    }
    const TypeRef type = check_field(e, e->args[0], e->args[1]->literal.text, true);
    set(e->args[1], &types::kString);
    set(e, unifier_.substitute(type, false));
    refer(e).overloads = {"select_optional_field"};
  }

  void resolve_overload(Expr* e, const Function& f) {
    std::vector<TypeRef> args;
    if (e->is_member_call()) args.push_back(type_of(e->operand));
    for (const Expr* arg : e->args) args.push_back(type_of(arg));
    if (f.name == "_&&_" || f.name == "_||_") return check_logic(e, f, args);
    TypeRef result = nullptr;
    std::vector<std::string> ids;
    for (const Overload& overload : f.overloads) {
      if (overload.member != e->is_member_call()) continue;
      if (!env_.cross_type_comparisons && cross_type_comparison(overload.id)) continue;
      TypeRef type = overload.result;
      if (!fits(overload, args, type)) continue;
      ids.push_back(overload.id);
      type = unifier_.substitute(type, false);
      if (result == nullptr) {
        result = type;
      } else if (!is_dyn(result) && !is_exact(type, result)) {
        result = &types::kDyn;
      }
    }
    if (result == nullptr) {
      for (TypeRef& t : args) t = unifier_.substitute(t, true);
      report(e->id, fmt::format("found no matching overload for '{}' applied to '{}'", f.name,
                                format_signature(args, e->is_member_call())));
      set(e, &types::kError);
      return;
    }
    set(e, result);
    refer(e).overloads = std::move(ids);
  }

  /// With fresh type parameters; `result` then is the overload's with them.
  bool fits(const Overload& overload, const std::vector<TypeRef>& args, TypeRef& result) {
    if (overload.params.empty())
      return overload.args.size() == args.size() && unifier_.assignable(args, overload.args);
    Unifier fresh(pool_);
    for (const std::string& name : overload.params) fresh.bind(pool_.param(name), new_variable());
    if (overload.args.size() != args.size()) return false;
    std::vector<TypeRef> wanted;
    for (const TypeRef t : overload.args) wanted.push_back(fresh.substitute(t, false));
    result = fresh.substitute(result, false);
    return unifier_.assignable(args, wanted);
  }

  void check_logic(Expr* e, const Function& f, const std::vector<TypeRef>& args) {
    bool ok = true;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (unifier_.assignable(args[i], &types::kBool)) continue;
      mismatch(e->args[i]->id, &types::kBool, args[i]);
      ok = false;
    }
    set(e, ok ? &types::kBool : &types::kError);
    if (ok) refer(e).overloads = {f.overloads[0].id};
  }

  TypeRef join(TypeRef before, TypeRef now) {
    if (before == nullptr) return now;
    // Mixed literals are refused, where they are, once all types are known.
    return unifier_.assignable(before, now) ? Unifier::most_general(before, now) : &types::kDyn;
  }

  TypeRef unwrap(const Expr* e, TypeRef type) {
    if (is_optional(type)) return type->params[0];
    if (!is_dyn(type)) mismatch(e->id, pool_.optional(type), type);
    return type;
  }

  void check_list(Expr* e) {
    TypeRef element = nullptr;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      Expr* arg = e->args[i];
      check(arg);
      TypeRef type = type_of(arg);
      if (!e->optional.empty() && e->optional[i]) type = unwrap(arg, type);
      element = join(element, type);
    }
    set(e, pool_.list(element == nullptr ? new_variable() : element));
  }

  void check_map(Expr* e) {
    TypeRef key = nullptr, value = nullptr;
    for (const Entry& entry : e->entries) {
      check(entry.key);
      key = join(key, type_of(entry.key));
      check(entry.value);
      TypeRef type = type_of(entry.value);
      if (entry.optional) type = unwrap(entry.value, type);
      value = join(value, type);
    }
    if (key == nullptr) key = new_variable(), value = new_variable();
    set(e, pool_.map(key, value));
  }

  void check_struct(Expr* e) {
    const StructType* s = nullptr;
    for (const std::string& candidate : env_.candidates(e->name)) {
      s = env_.find_struct(candidate);
      if (s == nullptr && env_.find_type(candidate) != nullptr) {
        report(e->id, fmt::format("'{}' is not a message type", candidate));
        set(e, &types::kError);
        return;
      }
      if (s != nullptr) break;
    }
    if (s == nullptr) {
      undeclared(e, e->name);
      set(e, &types::kError);
      return;
    }
    e->name = s->type->name;
    refer(e).name = e->name;
    set(e, s->type);
    for (const Entry& entry : e->entries) {
      check(entry.value);
      const auto field = s->fields.find(entry.field);
      if (field == s->fields.end()) {
        report(entry.id, fmt::format("undefined field '{}'", entry.field));
        continue;
      }
      TypeRef type = type_of(entry.value);
      if (entry.optional) type = unwrap(entry.value, type);
      if (!unifier_.assignable(field->second, type))
        report(entry.id,
               fmt::format("expected type of field '{}' is '{}' but provided type is '{}'",
                           entry.field, format_type(field->second), format_type(type)));
    }
  }

  void check_fold(Expr* e) {
    Fold& f = *e->fold;
    check(f.range);
    check(f.init);
    const TypeRef range = unifier_.substitute(type_of(f.range), false);
    const TypeRef accumulated = type_of(f.init);
    const std::size_t outer = scopes_.size();
    scopes_.emplace_back(f.accumulator, accumulated);
    const bool two = !f.variable2.empty();
    TypeRef first = &types::kDyn, second = &types::kDyn;
    switch (range->kind) {
      case TypeKind::kList:
        first = two ? &types::kInt : range->params[0];
        second = range->params[0];
        break;
      case TypeKind::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kAny:
      case TypeKind::kError:
      case TypeKind::kParam:
        if (range->kind != TypeKind::kAny) {
          unifier_.assignable(&types::kDyn, range);
          break;
        }
        [[fallthrough]];
      default:
        report(f.range->id,
               fmt::format("expression of type '{}' cannot be range of a comprehension (must be "
                           "list, map, or dynamic)",
                           format_type(range)));
        first = second = &types::kError;
    }
    scopes_.emplace_back(f.variable, first);
    if (two) scopes_.emplace_back(f.variable2, second);
    check(f.condition);
    assert_type(f.condition, &types::kBool);
    check(f.step);
    assert_type(f.step, accumulated);
    scopes_.resize(outer + 1);
    check(f.result);
    scopes_.resize(outer);
    set(e, unifier_.substitute(type_of(f.result), false));
  }

  void assert_type(const Expr* e, TypeRef wanted) {
    if (!unifier_.assignable(wanted, type_of(e))) mismatch(e->id, wanted, type_of(e));
  }

  Ast& ast_;
  const Environment& env_;
  TypePool& pool_;
  Issues& issues_;
  Unifier unifier_;
  std::vector<std::pair<std::string, TypeRef>> scopes_;
  int variables_ = 0;
};

}  // namespace

bool check(Ast& ast, const Environment& env, TypePool& pool, Issues& issues) {
  Checker(ast, env, pool, issues).run();
  return issues.empty();
}

}  // namespace dray::cel
