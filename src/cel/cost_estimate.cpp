#include "cel/cost_estimate.h"

#include <map>

#include "cel/cost_range.h"
#include "cel/function_estimate.h"
#include "cel/source.h"

namespace dray::cel {
namespace {

/// Sizes of the keys (or indices) and values of a list or map.
struct Entries {
  TypeKind container = TypeKind::kList;
  Range key, value;
};
using EntriesRef = std::optional<Entries>;

EntriesRef united(const EntriesRef& a, const EntriesRef& b) {
  if (!a || !b) return {};
  return Entries{a->container, cel::united(a->key, b->key), cel::united(a->value, b->value)};
}

bool is_scalar(TypeRef t) {
  switch (t->kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint: return true;
    default: return is_optional(t) && is_scalar(t->params[0]);
  }
}

class Estimator {
 public:
  Estimator(const Ast& ast, const Environment& env, const SizeBounds& bounds)
      : ast_(ast), env_(env), bounds_(bounds) {}

  Range cost(const Expr* e) {
    switch (e->kind) {
      case ExprKind::kLiteral: return {};
      case ExprKind::kIdent: return cost_ident(e);
      case ExprKind::kSelect: return cost_select(e);
      case ExprKind::kCall: return cost_call(e);
      case ExprKind::kList: return cost_list(e);
      case ExprKind::kMap: return cost_map(e);
      case ExprKind::kStruct: return cost_struct(e);
      case ExprKind::kFold: return is_bind(e) ? cost_bind(e) : cost_fold(e);
      case ExprKind::kUnspecified: return {};
    }
    return {};
  }

 private:
  struct Local {
    ValuePath path;
    std::optional<Range> size;
    EntriesRef entries;
  };

  TypeRef type_of(const Expr* e) const { return ast_.type_of(e); }

  // Paths and sizes.

  const Local* local(const std::string& name) const {
    const auto it = locals_.find(name);
    return it == locals_.end() || it->second.empty() ? nullptr : &it->second.back();
  }

  ValuePath path_of(const Expr* e) const {
    if (e->kind == ExprKind::kIdent)
      if (const Local* l = local(e->name)) return l->path;
    const auto it = paths_.find(e->id);
    return it == paths_.end() ? ValuePath{} : it->second;
  }

  ValuePath extended(const Expr* e, std::string_view step) const {
    ValuePath path = path_of(e);
    path.emplace_back(step);
    return path;
  }

  std::optional<Range> size_of(const Expr* e) {
    if (const auto it = sizes_.find(e->id); it != sizes_.end()) return it->second;
    switch (e->kind) {
      case ExprKind::kLiteral: return literal_size(e->literal);
      case ExprKind::kList: return fixed(e->args.size());
      case ExprKind::kMap: return fixed(e->entries.size());
      default: break;
    }
    if (const auto bound = bounds_(path_of(e))) return sizes_[e->id] = *bound;
    if (const TypeRef t = type_of(e); t != nullptr && is_scalar(t)) return fixed(1);
    if (e->kind == ExprKind::kIdent)
      if (const Local* l = local(e->name)) return l->size;
    return {};
  }

  static Range literal_size(const Literal& l) {
    if (l.kind == LiteralKind::kString) return fixed(rune_count(l.text));
    if (l.kind == LiteralKind::kBytes) return fixed(l.text.size());
    return fixed(1);
  }

  Range size_or_unknown(const Expr* e) { return size_of(e).value_or(unknown_size()); }

  EntriesRef entries_of(const Expr* e) const {
    if (const auto it = entries_.find(e->id); it != entries_.end()) return it->second;
    if (e->kind == ExprKind::kIdent)
      if (const Local* l = local(e->name)) return l->entries;
    return {};
  }

  void set_size(const Expr* e, const std::optional<Range>& size) {
    if (size) sizes_[e->id] = *size;
  }
  void set_entries(const Expr* e, const EntriesRef& entries) {
    if (entries) entries_[e->id] = *entries;
  }
  void copy_sizes(const Expr* to, const Expr* from) {
    set_size(to, size_of(from));
    set_entries(to, entries_of(from));
  }

  Operand operand(const Expr* e) {
    Operand out;
    out.path = path_of(e);
    if (!out.path.empty() && (out.path[0] == "@result" || out.path[0] == "__result__"))
      out.path.clear();
    out.has_path = !out.path.empty();
    out.type = type_of(e);
    out.expr = e;
    out.size = size_of(e);
    return out;
  }

  // Expressions.

  Range cost_ident(const Expr* e) {
    const Local* l = local(e->name);
    paths_[e->id] = l != nullptr ? l->path : ValuePath{e->name};
    return fixed(1);
  }

  Range cost_select(const Expr* e) {
    if (e->test_only) return fixed(env_.presence_test_costs ? 1 : 0) + cost(e->operand);
    Range sum = cost(e->operand);
    switch (type_of(e->operand)->kind) {
      case TypeKind::kMap:
      case TypeKind::kStruct:
      case TypeKind::kParam: sum = sum + fixed(1); break;
      default: break;
    }
    paths_[e->id] = extended(e->operand, e->name);
    return sum;
  }

  Range cost_call(const Expr* e) {
    if (e->name == "dyn" && e->args.size() == 1) {
      const Range arg = cost(e->args[0]);
      copy_sizes(e, e->args[0]);
      return fixed(1) + arg;
    }
    std::vector<Operand> args;
    Range arg_cost;
    std::vector<Range> arg_costs;
    for (const Expr* arg : e->args) {
      arg_costs.push_back(cost(arg));
      arg_cost = arg_cost + arg_costs.back();
      args.push_back(operand(arg));
    }
    const Reference* reference = ast_.reference_of(e);
    if (reference == nullptr || reference->overloads.empty()) return {};
    Range sum;
    std::optional<Operand> target;
    if (e->is_member_call()) {
      sum = cost(e->operand);
      target = operand(e->operand);
    }
    Range call{kNoBound, 0};
    std::optional<Range> result;
    for (const std::string& overload : reference->overloads) {
      const CallEstimate one = cost_overload(e, overload, target ? &*target : nullptr, args,
                                             arg_cost, arg_costs);
      call = cel::united(call, one.cost);
      if (one.result_size)
        result = result ? cel::united(*result, *one.result_size) : *one.result_size;
      if (overload == "index_list" || overload == "index_map") {
        if (!e->args.empty()) {
          const EntriesRef entries = entries_of(e->args[0]);
          result = entries ? std::optional(entries->value) : std::nullopt;
          paths_[e->id] = extended(e->args[0], overload == "index_list" ? "@items" : "@values");
        }
      }
      if (!result) result = size_of(e);
    }
    set_size(e, result);
    return sum + call;
  }

  CallEstimate cost_overload(const Expr* e, const std::string& overload, const Operand* target,
                             std::span<const Operand> args, Range arg_cost,
                             const std::vector<Range>& arg_costs) {
    if (auto known = estimate_function(env_, bounds_, e->name, overload, target, args)) {
      known->cost = known->cost + arg_cost;
      return *known;
    }
    CallEstimate out = language_cost(e, overload, target, args, arg_costs);
    if (overload != "conditional" && overload != "logical_and" && overload != "logical_or")
      out.cost = out.cost + arg_cost;
    return out;
  }

  static Range size(const Operand& o) { return o.size.value_or(unknown_size()); }

  /// Without the cost of the arguments, except for what evaluates only some of them.
  CallEstimate language_cost(const Expr* e, const std::string& id, const Operand* target,
                             std::span<const Operand> args, const std::vector<Range>& arg_costs) {
    const bool one = args.size() == 1, two = args.size() == 2;
    if (id == "string_format" && target != nullptr) return {size(*target) * kScanFactor, {}};
    if (id == "string_to_bytes" && one)
      return {size(args[0]) * kScanFactor, Range{size(args[0]).min, size(args[0]).max * 4}};
    if (id == "bytes_to_string" && one)
      return {size(args[0]) * kScanFactor, Range{size(args[0]).min / 4, size(args[0]).max}};
    if (id == "strings_quote" && one)
      return {size(args[0]) * kScanFactor,
              Range{size(args[0]).min + 2, size(args[0]).max * 2 + 2}};
    if ((id == "starts_with_string" || id == "ends_with_string") && one)
      return {size(args[0]) * kScanFactor, {}};
    if (id == "in_list" && two) return {size(args[1]) * 1.0, {}};
    if (id == "matches" && target == nullptr && two) return {matches(args[0], args[1]), {}};
    if (id == "matches_string" && target != nullptr && one) return {matches(*target, args[0]), {}};
    if (id == "contains_string" && target != nullptr && one)
      return {size(*target) * kScanFactor * (size(args[0]) * kScanFactor), {}};
    if (id == "logical_or" || id == "logical_and")
      return {{arg_costs[0].min, plus(arg_costs[0].max, arg_costs[1].max)}, {}};
    if (id == "conditional") {
      set_entries(e, united(entries_of(args[1].expr), entries_of(args[2].expr)));
      return {arg_costs[0] + cel::united(arg_costs[1], arg_costs[2]),
              cel::united(size(args[1]), size(args[2]))};
    }
    if ((id == "add_string" || id == "add_bytes" || id == "add_list") && two) {
      const Range total = size(args[0]) + size(args[1]);
      set_entries(e, united(entries_of(args[0].expr), entries_of(args[1].expr)));
      return {id == "add_list" ? fixed(1) : total * kScanFactor, total};
    }
    if (two && (id == "equals" || id == "not_equals" || is_text_relation(id))) {
      const std::uint64_t smaller = std::min(size(args[0]).max, size(args[1]).max);
      return {Range{smaller > 0 ? 1u : 0u, smaller} * kScanFactor, {}};
    }
    return {fixed(1), {}};
  }

  static Range matches(const Operand& text, const Operand& pattern) {
    return (size(text) + fixed(1)) * kScanFactor * (size(pattern) * kRegexFactor);
  }

  static bool is_text_relation(const std::string& id) {
    return (id.starts_with("less_") || id.starts_with("greater_")) &&
           (id.ends_with("_string") || id.ends_with("_bytes"));
  }

  Range cost_list(const Expr* e) {
    Range sum, item{e->args.empty() ? 0 : kNoBound, 0};
    for (const Expr* arg : e->args) {
      sum = sum + cost(arg);
      item = cel::united(item, size_or_unknown(arg));
    }
    entries_[e->id] = {TypeKind::kList, fixed(1), item};
    return sum + fixed(10);
  }

  Range cost_map(const Expr* e) {
    const std::uint64_t least = e->entries.empty() ? 0 : kNoBound;
    Range sum, key{least, 0}, value{least, 0};
    for (const Entry& entry : e->entries) {
      sum = sum + cost(entry.key);
      sum = sum + cost(entry.value);
      key = cel::united(key, size_or_unknown(entry.key));
      value = cel::united(value, size_or_unknown(entry.value));
    }
    entries_[e->id] = {TypeKind::kMap, key, value};
    return sum + fixed(30);
  }

  Range cost_struct(const Expr* e) {
    Range sum;
    for (const Entry& entry : e->entries) sum = sum + cost(entry.value);
    return sum + fixed(40);
  }

  static bool is_bind(const Expr* e) {
    const Fold& f = *e->fold;
    return f.range->kind == ExprKind::kList && f.range->args.empty() &&
           f.condition->is_literal(LiteralKind::kBool) && f.condition->literal.integer == 0 &&
           f.accumulator != "__result__";
  }

  Range cost_bind(const Expr* e) {
    const Fold& f = *e->fold;
    Range sum = cost(f.range);
    sum = sum + cost(f.init);
    push_value(f.accumulator, f.init);
    sum = sum + cost(f.result);
    locals_[f.accumulator].pop_back();
    copy_sizes(e, f.result);
    return sum;
  }

  void push_value(const std::string& name, const Expr* e) {
    Local l{path_of(e), size_of(e), entries_of(e)};
    locals_[name].push_back(std::move(l));
  }

  enum class Part { kKey, kValue, kSingle };

  void push_variable(const std::string& name, const Expr* range, Part part) {
    const EntriesRef entries = entries_of(range);
    const TypeKind container = entries ? entries->container : type_of(range)->kind;
    const bool list = container == TypeKind::kList;
    const bool value = part == Part::kValue || (part == Part::kSingle && list);
    Local l;
    if (entries) l.size = value ? entries->value : entries->key;
    const char* step = value ? (list ? "@items" : "@values") : (list ? "@indices" : "@keys");
    l.path = extended(range, step);
    locals_[name].push_back(std::move(l));
  }

  Range cost_fold(const Expr* e) {
    const Fold& f = *e->fold;
    Range sum = cost(f.range);
    sum = sum + cost(f.init);
    push_value(f.accumulator, f.init);
    const bool two = !f.variable2.empty();
    push_variable(f.variable, f.range, two ? Part::kKey : Part::kSingle);
    if (two) push_variable(f.variable2, f.range, Part::kValue);
    const Range condition = cost(f.condition);
    const Range step = cost(f.step);
    locals_[f.variable].pop_back();
    if (two) locals_[f.variable2].pop_back();
    sum = sum + cost(f.result);
    locals_[f.accumulator].pop_back();
    const Range count = size_or_unknown(f.range);
    sum = sum + count * (step + condition);
    if (f.init->kind == ExprKind::kLiteral) set_size(e, size_of(f.init));
    if (f.init->kind == ExprKind::kList || f.init->kind == ExprKind::kMap) {
      set_size(e, count);
      set_entries(e, entries_of(f.step));
    }
    return sum;
  }

  const Ast& ast_;
  const Environment& env_;
  const SizeBounds& bounds_;
  std::map<int, ValuePath> paths_;
  std::map<int, Range> sizes_;
  std::map<int, Entries> entries_;
  std::map<std::string, std::vector<Local>> locals_;
};

}  // namespace

Range estimate_cost(const Ast& ast, const Environment& env, const SizeBounds& bounds) {
  return Estimator(ast, env, bounds).cost(ast.root);
}

}  // namespace dray::cel
