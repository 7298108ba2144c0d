#include "cel/planner.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cel/collections.h"
#include "cel/lib_regex.h"
#include "cel/ops.h"
#include "cel/regex.h"

namespace dray::cel {
namespace {

/// Ends the planning.
struct Refused {
  std::string message;
};

bool is_conversion(std::string_view function) {
  for (const std::string_view name : {"bool", "bytes", "double", "duration", "dyn", "int", "string",
                                      "timestamp", "type", "uint"})
    if (function == name) return true;
  return false;
}

const ConstNode* constant(const NodePtr& node) { return dynamic_cast<const ConstNode*>(node.get()); }

class Planner {
 public:
  Planner(const Ast& ast, const Environment& env, bool optimize, Plan& out)
      : ast_(ast), env_(env), optimize_(optimize), out_(out) {}

  void run() {
    out_.id_end = ast_.id_end();
    out_.constants = std::make_unique<Eval>(ast_.id_end(), 0, std::span<const Val* const>{},
                                            UINT64_MAX);
    out_.root = plan(ast_.root);
    out_.slot_count = slots_;
  }

 private:
  struct Local {
    std::string name;
    int slot;
    const FoldNode* fold;  // of an accumulator
  };

  Eval& constants() { return *out_.constants; }
  Val keep(std::string_view text) { return constants().string(text); }

  NodePtr plan(const Expr* e) {
    switch (e->kind) {
      case ExprKind::kLiteral: return std::make_unique<ConstNode>(e->id, literal(e->literal));
      case ExprKind::kIdent: return ident(e);
      case ExprKind::kSelect: return select(e);
      case ExprKind::kCall: return call(e);
      case ExprKind::kList: return list(e);
      case ExprKind::kMap: return map(e);
      case ExprKind::kFold: return fold(e);
      case ExprKind::kStruct: throw Refused{"unknown type: " + e->name};
      case ExprKind::kUnspecified: break;
    }
    throw Refused{"unsupported expression"};
  }

  Val literal(const Literal& l) {
    switch (l.kind) {
      case LiteralKind::kNull: return Val::null();
      case LiteralKind::kBool: return Val::of(l.integer != 0);
      case LiteralKind::kInt: return Val::of_int(l.integer);
      case LiteralKind::kUint: return Val::of_uint(static_cast<std::uint64_t>(l.integer));
      case LiteralKind::kDouble: return Val::of_double(l.number);
      case LiteralKind::kString: return keep(l.text);
      case LiteralKind::kBytes: {
        const Val text = keep(l.text);
        return Val::of_bytes(text.text());
      }
    }
    return {};
  }

  // Names.

  const Local* local(std::string_view name) const {
    for (auto it = locals_.rbegin(); it != locals_.rend(); ++it)
      if (it->name == name) return &*it;
    return nullptr;
  }

  std::shared_ptr<VariableAttribute> variable(int id, const std::string& name) {
    if (const Local* l = local(name))
      return std::make_shared<VariableAttribute>(id, name, -1, l->slot, l->fold);
    const std::string global = name.starts_with('.') ? name.substr(1) : name;
    return std::make_shared<VariableAttribute>(id, global, env_.find_variable(global), -1, nullptr);
  }

  NodePtr ident(const Expr* e) {
    if (const Reference* r = ast_.reference_of(e)) {
      if (r->constant) return std::make_unique<ConstNode>(e->id, Val::of_int(r->value));
      const TypeRef type = ast_.type_of(e);
      if (type != nullptr && type->kind == TypeKind::kType && !local(r->name) &&
          env_.find_variable(r->name) < 0) {
        if (const TypeRef t = env_.find_type(r->name))
          return std::make_unique<ConstNode>(e->id, Val::of_type(t));
        if (const StructType* s = env_.find_struct(r->name))
          return std::make_unique<ConstNode>(e->id, Val::of_type(s->type));
      }
      return std::make_unique<AttributeNode>(variable(e->id, r->name));
    }
    if (local(e->name) != nullptr) return std::make_unique<AttributeNode>(variable(e->id, e->name));
    std::vector<std::shared_ptr<VariableAttribute>> candidates;
    for (const std::string& name : env_.candidates(e->name))
      candidates.push_back(std::make_shared<VariableAttribute>(e->id, name,
                                                               env_.find_variable(name), -1, nullptr));
    auto maybe = std::make_shared<MaybeAttribute>(std::move(candidates), e->name);
    maybe->env = &env_;
    return std::make_unique<AttributeNode>(std::move(maybe));
  }

  // Paths.

  static AttributeNode* attribute(const NodePtr& node) {
    return dynamic_cast<AttributeNode*>(node.get());
  }

  /// The node itself, or one that starts a path at its value.
  static NodePtr as_attribute(NodePtr node, int id, bool optional = false) {
    if (attribute(node) != nullptr) return node;
    return std::make_unique<AttributeNode>(
        std::make_shared<RelativeAttribute>(id, std::move(node)), optional);
  }

  NodePtr select(const Expr* e) {
    if (ast_.reference_of(e) != nullptr) return ident(e);
    NodePtr operand = plan(e->operand);
    const int id = operand->id();
    NodePtr node = as_attribute(std::move(operand), id);
    Qualifier q;
    q.id = e->id;
    q.key = keep(e->name);
    q.test_only = e->test_only;
    attribute(node)->add(q);
    if (e->test_only) attribute(node)->make_test(e->id, env_.presence_test_costs);
    return node;
  }

  NodePtr index(const Expr* e, std::vector<NodePtr> args, bool optional) {
    const int id = args[0]->id();
    NodePtr node = as_attribute(std::move(args[0]), id);
    Qualifier q;
    q.id = e->id;
    q.optional = optional;
    if (const ConstNode* c = constant(args[1])) {
      q.key = c->value();
      switch (q.key.kind) {
        case ValKind::kBool:
        case ValKind::kInt:
        case ValKind::kUint:
        case ValKind::kDouble:
        case ValKind::kString: break;
        default: throw Refused{fmt::format("invalid qualifier type: {}", go_type(q.key))};
      }
    } else if (AttributeNode* a = attribute(args[1])) {
      q.form = Qualifier::Form::kAttribute;
      q.attribute = a->attribute();
    } else {
      q.form = Qualifier::Form::kRelative;
      q.attribute = std::make_shared<RelativeAttribute>(e->id, std::move(args[1]));
    }
    attribute(node)->add(q);
    return node;
  }

  // Calls.

  NodePtr call(const Expr* e) {
    std::string function = e->name;
    std::string overload;
    const Expr* target = e->operand;
    if (const Reference* r = ast_.reference_of(e)) {
      if (r->overloads.size() == 1) overload = r->overloads[0];
    } else {
      resolve_unchecked(e, function, target);
    }
    std::vector<NodePtr> args;
    if (target != nullptr) args.push_back(plan(target));
    for (const Expr* arg : e->args) args.push_back(plan(arg));
    const int id = e->id;
    if (function == "_&&_") return std::make_unique<LogicNode>(id, true, std::move(args));
    if (function == "_||_") return std::make_unique<LogicNode>(id, false, std::move(args));
    if (function == "_?:_" || function == "_?_:_") return conditional(id, std::move(args));
    if (function == "_==_" || function == "_!=_") return equality(id, function, std::move(args));
    if (function == "_[_]") return index(e, std::move(args), false);
    if (function == "_[?_]" || function == "_?._") return index(e, std::move(args), true);
    if (env_.parser.optional_syntax && args.size() == 2) {
      if (function == "or" && (overload.empty() || overload == "optional_or_optional"))
        return std::make_unique<OrNode>(id, false, std::move(args[0]), std::move(args[1]));
      if (function == "orValue" && (overload.empty() || overload == "optional_orValue_value"))
        return std::make_unique<OrNode>(id, true, std::move(args[0]), std::move(args[1]));
    }
    return plain_call(id, function, overload, std::move(args));
  }

  void resolve_unchecked(const Expr* e, std::string& function, const Expr*& target) {
    if (target != nullptr) {
      if (const std::string prefix = qualified(target); !prefix.empty()) {
        for (const std::string& name : env_.candidates(prefix + "." + function)) {
          if (!implemented(name)) continue;
          function = name;
          target = nullptr;
          return;
        }
      }
      return;
    }
    for (const std::string& name : env_.candidates(e->name)) {
      if (!implemented(name)) continue;
      function = name;
      return;
    }
    if (function.starts_with('.')) function.erase(0, 1);
  }

  bool implemented(std::string_view name) const {
    const Function* f = env_.find_function(name);
    if (f == nullptr) return false;
    if (f->singleton != nullptr) return true;
    for (const Overload& o : f->overloads)
      if (o.fn != nullptr) return true;
    return false;
  }

  static std::string qualified(const Expr* e) {
    if (e->kind == ExprKind::kIdent) return e->name;
    if (e->kind != ExprKind::kSelect || e->test_only) return {};
    const std::string prefix = qualified(e->operand);
    return prefix.empty() ? prefix : prefix + "." + e->name;
  }

  NodePtr conditional(int id, std::vector<NodePtr> args) {
    const auto branch = [](NodePtr node) -> std::shared_ptr<Attribute> {
      if (AttributeNode* a = attribute(node)) return a->attribute();
      const int node_id = node->id();
      return std::make_shared<RelativeAttribute>(node_id, std::move(node));
    };
    auto yes = branch(std::move(args[1]));
    auto no = branch(std::move(args[2]));
    return std::make_unique<AttributeNode>(std::make_shared<ConditionalAttribute>(
        id, std::move(args[0]), std::move(yes), std::move(no)));
  }

  NodePtr equality(int id, const std::string& function, std::vector<NodePtr> args) {
    const bool negated = function == "_!=_";
    const std::string overload = negated ? "not_equals" : "equals";
    CallInfo info{function, overload, cost_rule(env_, function, overload, 2)};
    return std::make_unique<EqualNode>(id, negated, std::move(args[0]), std::move(args[1]),
                                       std::move(info));
  }

  Callee callee(const std::string& name, const std::string& overload, std::size_t count) {
    Callee c;
    c.function = env_.find_function(name);
    if (c.function == nullptr) return c;
    const Function& f = *c.function;
    if (f.singleton != nullptr) {
      c.direct = f.singleton;
      c.traits = f.traits;
      c.shape = f.singleton_shape;
    } else {
      const Overload* only = nullptr;
      int bound = 0;
      for (const Overload& o : f.overloads)
        if (o.fn != nullptr) ++bound, only = &o;
      if (bound > 1) only = nullptr;
      if (const Overload* o = overload.empty() ? nullptr : f.find(overload); o != nullptr && o->fn)
        only = o;
      c.overload = only;
      c.dispatch = only == nullptr && bound > 1;
      c.shape = only != nullptr ? only->shape : c.dispatch ? Shape::kMany : Shape::kNone;
      if (only != nullptr) c.non_strict = only->non_strict;
    }
    check_shape(name, c.shape, count);
    return c;
  }

  static void check_shape(const std::string& name, Shape shape, std::size_t count) {
    if (count == 0 && shape != Shape::kMany)
      throw Refused{fmt::format("no such overload: {}()", name)};
    if (shape == Shape::kNone || shape == Shape::kMany) return;
    if (count == 1 && shape != Shape::kUnary)
      throw Refused{fmt::format("no such overload: {}(arg)", name)};
    if (count == 2 && shape != Shape::kBinary)
      throw Refused{fmt::format("no such overload: {}(lhs, rhs)", name)};
    if (count > 2) throw Refused{fmt::format("no such overload: {}(...)", name)};
  }

  NodePtr plain_call(int id, const std::string& function, const std::string& overload,
                     std::vector<NodePtr> args) {
    const Callee to = callee(function, overload, args.size());
    CallInfo info{function, overload, cost_rule(env_, function, overload, args.size())};
    auto node = std::make_unique<CallNode>(id, std::move(info), to, std::move(args));
    if (!optimize_) return node;
    if (overload == "in_list") return membership(std::move(node));
    if (is_conversion(function) && node->args().size() == 1 && constant(node->args()[0])) {
      const Val value = node->exec(constants());
      if (value.is(ValKind::kError)) throw Refused{std::string(value.text())};
      return std::make_unique<ConstNode>(id, value);
    }
    const_pattern(*node);
    if (reads_text(function) && std::ranges::all_of(node->args(), constant)) node->settle(constants());
    return node;
  }

  /// Functions that make a value of its text, the same each time.
  static bool reads_text(std::string_view function) {
    return function == "quantity" || function == "semver" || function == "url" || function == "ip" ||
           function == "cidr";
  }

  NodePtr membership(std::unique_ptr<CallNode> node) {
    const ConstNode* list = constant(node->args()[1]);
    if (list == nullptr) return node;
    const int id = node->id();
    const ListObj& values = *list->value().list;
    if (values.size() == 0) return std::make_unique<ConstNode>(id, Val::of(false));
    Arena& arena = constants().arena;
    auto* set = arena.make<HashMap>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Val v = values.at(arena, i);
      if (!add_member(*set, v)) return node;
    }
    return std::make_unique<MembershipNode>(id, std::move(node->args()[0]), set);
  }

  /// Also the equal numbers of other types. False if `v` is no member of a set.
  bool add_member(HashMap& set, const Val& v) {
    Arena& arena = constants().arena;
    const auto put = [&](const Val& key) { set.set(arena, key, Val::of(true)); };
    const auto put_if = [&](TypeRef type) {
      const Val other = convert(constants(), v, type);
      if (!other.failed() && equal(constants(), other, v).is_true()) put(other);
    };
    switch (v.kind) {
      case ValKind::kBool:
      case ValKind::kString: put(v); return true;
      case ValKind::kDouble:
        if (!std::isnan(v.number)) put(v);
        put_if(&types::kInt);
        put_if(&types::kUint);
        return true;
      case ValKind::kInt:
        put(v);
        put(Val::of_double(static_cast<double>(v.integer)));
        if (v.integer >= 0) put(Val::of_uint(v.natural));
        return true;
      case ValKind::kUint:
        put(v);
        put(Val::of_double(static_cast<double>(v.natural)));
        if (v.integer >= 0) put(Val::of_int(v.integer));
        return true;
      default: return false;
    }
  }

  static void const_pattern(CallNode& node) {
    const auto with = pattern_function(node.info().function);
    if (with == nullptr || node.args().size() < 2) return;
    const ConstNode* pattern = constant(node.args()[1]);
    if (pattern == nullptr || !pattern->value().is(ValKind::kString)) return;
    std::string error;
    node.pattern = compile_regex(pattern->value().text(), error);
    if (node.pattern == nullptr) throw Refused{error};
    node.with_pattern = with;
  }

  // Constructors.

  NodePtr list(const Expr* e) {
    std::vector<NodePtr> elements;
    bool all_constant = optimize_;
    for (const Expr* arg : e->args) {
      elements.push_back(plan(arg));
      all_constant = all_constant && constant(elements.back()) != nullptr;
    }
    auto node = std::make_unique<ListNode>(e->id, std::move(elements), e->optional);
    if (!all_constant) return node;
    return std::make_unique<ConstNode>(e->id, node->exec(constants()));
  }

  NodePtr map(const Expr* e) {
    std::vector<MapNode::Item> items;
    bool all_constant = optimize_;
    for (const Entry& entry : e->entries) {
      NodePtr key = plan(entry.key);
      NodePtr value = plan(entry.value);
      all_constant = all_constant && constant(key) && constant(value);
      items.push_back({std::move(key), std::move(value), entry.optional});
    }
    auto node = std::make_unique<MapNode>(e->id, std::move(items));
    if (!all_constant) return node;
    return std::make_unique<ConstNode>(e->id, node->exec(constants()));
  }

  NodePtr fold(const Expr* e) {
    const Fold& f = *e->fold;
    auto node = std::make_unique<FoldNode>(e->id);
    node->init = plan(f.init);
    node->range = plan(f.range);
    node->accumulator = slots_++;
    const std::size_t outer = locals_.size();
    // The reference looks for the accumulator first.
    node->first = slots_++;
    if (!f.variable2.empty()) {
      node->second = slots_++;
      locals_.push_back({f.variable2, node->second, nullptr});
    }
    locals_.push_back({f.variable, node->first, nullptr});
    locals_.push_back({f.accumulator, node->accumulator, node.get()});
    node->condition = plan(f.condition);
    node->step = plan(f.step);
    locals_.resize(outer);
    locals_.push_back({f.accumulator, node->accumulator, node.get()});
    node->result = plan(f.result);
    locals_.resize(outer);
    return node;
  }

  const Ast& ast_;
  const Environment& env_;
  bool optimize_;
  Plan& out_;
  std::vector<Local> locals_;
  int slots_ = 0;
};

}  // namespace

bool plan(const Ast& ast, const Environment& env, bool optimize, Plan& out, std::string& error) {
  try {
    Planner(ast, env, optimize, out).run();
    return true;
  } catch (const Refused& refused) {
    error = refused.message;
  } catch (const Cancelled& cancelled) {
    error = cancelled.message;
  }
  return false;
}

}  // namespace dray::cel
