/// Checks of literals after the types are known.
/// Source: cel-go cel/validator.go, ext/formatting.go.
#include <functional>

#include <fmt/format.h>

#include "cel/checker.h"
#include "cel/format_string.h"
#include "cel/ops.h"
#include "cel/regex.h"

namespace dray::cel {
namespace {

void walk(const Expr* e, bool in_format,
          const std::function<void(const Expr*, bool in_format)>& visit) {
  visit(e, in_format);
  const bool inside = in_format || (e->kind == ExprKind::kCall && e->name == "format");
  if (e->operand != nullptr) walk(e->operand, inside, visit);
  for (const Expr* arg : e->args) walk(arg, inside, visit);
  for (const Entry& entry : e->entries) {
    if (entry.key != nullptr) walk(entry.key, inside, visit);
    walk(entry.value, inside, visit);
  }
  if (!e->fold) return;
  for (const Expr* part : {e->fold->range, e->fold->init, e->fold->condition, e->fold->step, e->fold->result})
    walk(part, inside, visit);
}

class Validator {
 public:
  Validator(const Ast& ast, Issues& issues) : ast_(ast), issues_(issues) {}

  void literal_call(const Expr* e, std::string_view function) {
    if (e->kind != ExprKind::kCall || e->name != function || e->args.empty()) return;
    const Expr* arg = e->args[0];
    if (arg->kind != ExprKind::kLiteral) return;
    if (!literal_ok(function, arg->literal))
      report(arg->id, fmt::format("invalid {} argument", function));
  }

  void homogeneous_list(const Expr* e) {
    if (e->kind != ExprKind::kList) return;
    TypeRef first = nullptr;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      const TypeRef type = unwrapped(ast_.type_of(e->args[i]), !e->optional.empty() && e->optional[i]);
      if (first == nullptr) {
        first = type;
      } else if (!is_equivalent(first, type)) {
        return mismatch(e->args[i], first, type);
      }
    }
  }

  void homogeneous_map(const Expr* e) {
    if (e->kind != ExprKind::kMap) return;
    TypeRef key = nullptr, value = nullptr;
    for (const Entry& entry : e->entries) {
      const TypeRef k = ast_.type_of(entry.key);
      const TypeRef v = unwrapped(ast_.type_of(entry.value), entry.optional);
      if (key == nullptr) {
        key = k;
        value = v;
        continue;
      }
      if (!is_equivalent(key, k)) mismatch(entry.key, key, k);
      if (!is_equivalent(value, v)) mismatch(entry.value, value, v);
    }
  }

  void format_call(const Expr* e) {
    if (e->kind != ExprKind::kCall || e->name != "format" || e->operand == nullptr ||
        !e->operand->is_literal(LiteralKind::kString) || e->args.size() != 1 ||
        e->args[0]->kind != ExprKind::kList)
      return;
    const std::vector<Expr*>& args = e->args[0]->args;
    std::size_t used = 0;
    int at = e->id;
    std::string ignored, error;
    const bool ok = walk_format(
        e->operand->literal.text, args.size(),
        [&](const FormatClause& clause, std::string&, std::string& why) {
          ++used;
          return clause_ok(clause.verb, args[clause.index], at, why);
        },
        ignored, error);
    if (!ok) return report(at, error);
    if (args.size() > used)
      report(e->id,
             fmt::format("too many arguments supplied to string.format (expected {}, got {})", used,
                         args.size()));
  }

 private:
  void report(int id, std::string message) { issues_.add(ast_.location_of(id), std::move(message)); }

  void mismatch(const Expr* e, TypeRef expected, TypeRef found) {
    report(e->id, fmt::format("expected type '{}' but found '{}'", format_type(expected),
                              format_type(found)));
  }

  static TypeRef unwrapped(TypeRef type, bool optional) {
    return optional && !type->params.empty() ? type->params[0] : type;
  }

  static bool literal_ok(std::string_view function, const Literal& l) {
    std::string error;
    if (function == "matches")
      return l.kind != LiteralKind::kString || compile_regex(l.text, error) != nullptr;
    if (function == "duration") {
      std::int64_t nanoseconds = 0;
      return l.kind != LiteralKind::kString || parse_duration(l.text, nanoseconds);
    }
    Val timestamp = Val::of_timestamp(l.integer, 0);
    if (l.kind == LiteralKind::kString && !parse_timestamp(l.text, timestamp)) return false;
    return timestamp.integer >= kMinUnixTime && timestamp.integer <= kMaxUnixTime;
  }

  /// Whether the argument's type suits the verb; else `at` is what doesn't.
  bool clause_ok(char verb, const Expr* arg, int& at, std::string& error) {
    if (verb == 's') return string_ok(arg, at, error);
    const TypeRef type = ast_.type_of(arg);
    if (type->kind == TypeKind::kDyn) return true;
    const bool number_text = (verb == 'f' || verb == 'e') && type->kind == TypeKind::kString;
    error = number_text ? "" : refuse_clause(verb, type->name);
    if (!error.empty()) at = arg->id;
    return error.empty();
  }

  bool string_ok(const Expr* e, int& at, std::string& error) {
    const TypeRef type = ast_.type_of(e);
    if (type->kind != TypeKind::kDyn) error = refuse_clause('s', type->name);
    if (!error.empty()) return at = e->id, false;
    if (e->kind == ExprKind::kList)
      for (const Expr* element : e->args)
        if (!string_ok(element, at, error)) return false;
    if (e->kind == ExprKind::kMap)
      for (const Entry& entry : e->entries)
        if (!string_ok(entry.key, at, error) || !string_ok(entry.value, at, error)) return false;
    return true;
  }

  const Ast& ast_;
  Issues& issues_;
};

}  // namespace

void validate(const Ast& ast, const Environment& env, Issues& issues) {
  Validator v(ast, issues);
  const auto each = [&](auto&& visit) { walk(ast.root, false, visit); };
  if (env.validate_literals) {
    for (const std::string_view function : {"duration", "timestamp", "matches"})
      each([&](const Expr* e, bool) { v.literal_call(e, function); });
  }
  if (env.homogeneous_literals) {
    each([&](const Expr* e, bool in_format) {
      if (!in_format) v.homogeneous_list(e);
    });
    each([&](const Expr* e, bool in_format) {
      if (!in_format) v.homogeneous_map(e);
    });
  }
  if (env.validate_formats) each([&](const Expr* e, bool) { v.format_call(e); });
}

}  // namespace dray::cel
