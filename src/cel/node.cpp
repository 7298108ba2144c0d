#include "cel/node.h"

#include <fmt/format.h>

#include "cel/collections.h"
#include "cel/ops.h"
#include "cel/text.h"

namespace dray::cel {
namespace {

/// The values of up to four arguments without the heap.
class Args {
 public:
  Args(Eval& eval, std::size_t count)
      : values_(count <= kInline ? inline_ : eval.arena.array<Val>(count)), count_(count) {}
  Val& operator[](std::size_t i) { return values_[i]; }
  [[nodiscard]] std::span<const Val> span() const { return {values_, count_}; }

 private:
  static constexpr std::size_t kInline = 4;
  Val inline_[kInline];
  Val* values_;
  std::size_t count_;
};

/// Takes the arguments of a finished call from the stack and adds its cost. Nothing is added where
/// one of them is not there.
void account(Eval& eval, const CallInfo& info, const std::vector<NodePtr>& args, const Val& result) {
  Args values(eval, args.size());
  for (std::size_t i = args.size(); i-- > 0;)
    if (!eval.costs.take(args[i]->id(), values[i])) return;
  eval.costs.add(call_cost(info.cost, eval, values.span(), result));
}

[[noreturn]] void unhashable(const Val& v) {
  throw Cancelled{v.is(ValKind::kBytes)
                      ? "internal error: runtime error: hash of unhashable type types.Bytes"
                      : "internal error: runtime error: hash of unhashable type cel.Semver"};
}

bool hashable(const Val& v) { return !v.is(ValKind::kBytes) && !v.is(ValKind::kSemver); }

}  // namespace

std::string_view go_type(const Val& v) {
  switch (v.kind) {
    case ValKind::kNull: return "types.Null";
    case ValKind::kBool: return "types.Bool";
    case ValKind::kInt: return "types.Int";
    case ValKind::kUint: return "types.Uint";
    case ValKind::kDouble: return "types.Double";
    case ValKind::kString: return "types.String";
    case ValKind::kBytes: return "types.Bytes";
    case ValKind::kDuration: return "types.Duration";
    case ValKind::kTimestamp: return "types.Timestamp";
    case ValKind::kType: return "*types.Type";
    case ValKind::kList: return v.list->go_type();
    case ValKind::kMap: return v.map->go_type();
    case ValKind::kOptional: return "*types.Optional";
    case ValKind::kQuantity: return v.flag ? "*cel.Quantity" : "cel.Quantity";
    case ValKind::kSemver: return "cel.Semver";
    case ValKind::kUrl: return "cel.URL";
    case ValKind::kIp: return "cel.IP";
    case ValKind::kCidr: return "cel.CIDR";
    case ValKind::kFormat: return "cel.Format";
    case ValKind::kError: return "*types.Err";
    case ValKind::kUnknown: return "*types.Unknown";
  }
  return "";
}

// Attributes.

namespace {

bool list_index(Eval& eval, const Val& key, std::int64_t& index, Val& error) {
  switch (key.kind) {
    case ValKind::kInt: index = key.integer; return true;
    case ValKind::kUint:
      if (key.integer >= 0) return index = key.integer, true;
      break;
    case ValKind::kDouble: {
      const double d = key.number;
      if (d > -9223372036854775808.0 && d < 9223372036854775808.0 &&
          static_cast<double>(static_cast<std::int64_t>(d)) == d)
        return index = static_cast<std::int64_t>(d), true;
      break;
    }
    default:
      error = eval.fail(fmt::format("unsupported index type '{}' in list", type_text(type_of(key))));
      return false;
  }
  error = eval.fail(fmt::format("unsupported index value {} in list", display(eval, key)));
  return false;
}

/// `object[key]`. With `optional`, what is not there is no error: `present` says so.
Val qualify(Eval& eval, const Val& object, const Val& key, bool optional, bool& present) {
  present = true;
  switch (object.kind) {
    case ValKind::kUnknown:
    case ValKind::kError: return object;
    case ValKind::kMap: {
      if (!hashable(key)) unhashable(key);
      Val value;
      if (object.map->find(eval.arena, key, value)) return value;
      break;
    }
    case ValKind::kList: {
      std::int64_t index = 0;
      Val error;
      if (!list_index(eval, key, index, error)) return error;
      if (index >= 0 && static_cast<std::size_t>(index) < object.list->size())
        return object.list->at(eval.arena, static_cast<std::size_t>(index));
      present = false;
      if (optional) return {};
      return eval.fail("index out of bounds: " + display(eval, key));
    }
    default: break;
  }
  present = false;
  if (optional) return {};
  return eval.fail("no such key: " + display(eval, key));
}

bool is_key(const Val& v) {
  switch (v.kind) {
    case ValKind::kBool:
    case ValKind::kInt:
    case ValKind::kUint:
    case ValKind::kDouble:
    case ValKind::kString: return true;
    default: return false;
  }
}

/// One step along a path.
class Walk {
 public:
  Walk(Eval& eval, const std::vector<Qualifier>& path) : eval_(eval), path_(path) {}

  Resolved from(Val object) {
    bool optional = object.is(ValKind::kOptional);
    if (optional) {
      if (object.inner == nullptr) return {object, false};
      object = *object.inner;
    }
    for (const Qualifier& q : path_) {
      optional = optional || q.optional;
      bool present = true;
      const Val next = step(q, object, optional, present);
      const bool last = &q == &path_.back();
      if (next.is(ValKind::kError) || !present) {
        const Val out = next.is(ValKind::kError) ? next : Val::none();
        return {out, last && observed_};
      }
      object = next;
    }
    if (optional && !object.is(ValKind::kUnknown)) object = eval_.optional_of(object);
    return {object, !path_.empty() && observed_};
  }

 private:
  Val step(const Qualifier& q, const Val& object, bool optional, bool& present) {
    observed_ = false;
    Val key = q.key;
    if (q.form != Qualifier::Form::kConst) {
      key = q.attribute->resolve_and_leave(eval_);
      if (key.is(ValKind::kError)) return observe(q, key, !optional);
      if (key.is(ValKind::kUnknown)) return observe(q, key, true);
      if (!is_key(key))
        return observe(q, eval_.fail(fmt::format("invalid qualifier type: {}", go_type(key))),
                       !optional);
    }
    if (q.test_only) return test(q, object, key, optional, present);
    const Val value = qualify(eval_, object, key, optional, present);
    const bool failed = value.is(ValKind::kError);
    if (failed) present = true;
    return observe(q, value, optional ? present && !failed : true);
  }

  /// has(): whether the key is there; that a value has keys at all is not asked for.
  Val test(const Qualifier& q, const Val& object, const Val& key, bool optional, bool& present) {
    bool there = true;
    const Val value = qualify(eval_, object, key, true, there);
    if (value.is(ValKind::kError)) return observe(q, value, !optional);
    if (optional) {
      present = there;
      return observe(q, value, there);
    }
    return observe(q, value.is(ValKind::kUnknown) ? value : Val::of(there), true);
  }

  Val observe(const Qualifier& q, const Val& value, bool counts) {
    if (!counts) return value;
    observed_ = true;
    if (q.form == Qualifier::Form::kRelative) eval_.costs.drop(q.id);
    eval_.costs.add(1);
    if (q.form == Qualifier::Form::kRelative) eval_.costs.push(q.id, value);
    eval_.costs.check();
    return value;
  }

  Eval& eval_;
  const std::vector<Qualifier>& path_;
  bool observed_ = false;
};

}  // namespace

Val Attribute::resolve_and_leave(Eval& eval) const {
  const Resolved r = resolve(eval);
  if (r.complete) eval.costs.push(id(), r.value);
  return r.value;
}

Resolved VariableAttribute::resolve(Eval& eval) const {
  Val value;
  if (slot_ >= 0) {
    Slot& slot = eval.slots[slot_];
    if (fold_ != nullptr && !slot.ready) fold_->initialize(eval);
    value = slot.value;
  } else {
    const bool known = index_ >= 0 && static_cast<std::size_t>(index_) < eval.variables.size() &&
                       eval.variables[static_cast<std::size_t>(index_)] != nullptr;
    if (!known) return {eval.fail("no such attribute(s): " + name_), false};
    value = *eval.variables[static_cast<std::size_t>(index_)];
  }
  if (value.failed()) return {value, false};
  if (qualifiers_.empty()) return {value, false};
  return Walk(eval, qualifiers_).from(value);
}

Resolved RelativeAttribute::resolve(Eval& eval) const {
  const Val value = operand_->exec(eval);
  if (value.failed() || qualifiers_.empty()) return {value, false};
  return Walk(eval, qualifiers_).from(value);
}

Resolved ConditionalAttribute::resolve(Eval& eval) const {
  const Val condition = condition_->exec(eval);
  if (condition.is_true()) return {yes_->resolve_and_leave(eval), false};
  if (condition.is_false()) return {no_->resolve_and_leave(eval), false};
  return {maybe_no_such_overload(condition), false};
}

void ConditionalAttribute::drop(Eval& eval) const {
  eval.costs.drop(no_->id());
  eval.costs.drop(yes_->id());
  eval.costs.drop(condition_->id());
}

void MaybeAttribute::add(const Qualifier& qualifier) {
  std::vector<std::shared_ptr<VariableAttribute>> longer;
  if (candidates_.front()->qualifiers().empty() && qualifier.form == Qualifier::Form::kConst &&
      qualifier.key.is(ValKind::kString)) {
    // "a.b" may be the name of one variable.
    names_.push_back(names_.back() + "." + std::string(qualifier.key.text()));
    for (const std::string& name : env->candidates(names_.back()))
      longer.push_back(std::make_shared<VariableAttribute>(qualifier.id, name,
                                                           env->find_variable(name), -1, nullptr));
  }
  for (auto& candidate : candidates_) candidate->add(qualifier);
  candidates_.insert(candidates_.begin(), longer.begin(), longer.end());
}

Resolved MaybeAttribute::resolve(Eval& eval) const {
  for (const auto& candidate : candidates_) {
    const auto index = static_cast<std::size_t>(candidate->index());
    if (candidate->index() >= 0 && index < eval.variables.size() &&
        eval.variables[index] != nullptr)
      return candidate->resolve(eval);
    if (!candidate->qualifiers().empty()) continue;
  }
  for (const auto& candidate : candidates_)
    if (candidate->qualifiers().empty())
      for (const std::string& name : env->candidates(names_[0]))
        if (const TypeRef type = env->find_type(name)) return {Val::of_type(type), false};
  std::string names;
  for (const std::string& name : env->candidates(names_.back()))
    names += (names.empty() ? "" : ", ") + name;
  return {eval.fail("no such attribute(s): " + names), false};
}

Val AttributeNode::exec(Eval& eval) const {
  Resolved r = attribute_->resolve(eval);
  if (test_only_ && r.value.is(ValKind::kOptional)) r.value = Val::of(r.value.inner != nullptr);
  if (conditional_ != nullptr) {
    conditional_->drop(eval);
  } else {
    if (!r.complete) eval.costs.drop(attribute_->id());
    if (!test_only_ || test_costs_) eval.costs.add(1);
  }
  return done(eval, r.value);
}

// Operators.

Val LogicNode::exec(Eval& eval) const {
  Val error;
  bool failed = false, unknown = false, decided = false;
  for (const NodePtr& term : terms_) {
    const Val value = term->exec(eval);
    if (value.is(ValKind::kBool)) {
      if (value.boolean == decides_) {
        decided = true;
        break;
      }
    } else if (value.is(ValKind::kUnknown)) {
      unknown = true;
    } else if (!failed) {
      failed = true;
      error = maybe_no_such_overload(value);
    }
  }
  for (const NodePtr& term : terms_) eval.costs.drop(term->id());
  if (decided) return done(eval, Val::of(decides_));
  if (unknown) return done(eval, Val::unknown());
  return done(eval, failed ? error : Val::of(!decides_));
}

Val EqualNode::exec(Eval& eval) const {
  const Val a = a_->exec(eval);
  const Val b = b_->exec(eval);
  Val result;
  if (a.failed()) {
    result = a;
  } else if (b.failed()) {
    result = b;
  } else {
    result = equal(eval, a, b);
    if (negated_) result = Val::of(!result.is_true());
  }
  Val args[2];
  if (eval.costs.take(b_->id(), args[1]) && eval.costs.take(a_->id(), args[0]))
    eval.costs.add(call_cost(info_.cost, eval, args, result));
  return done(eval, result);
}

Val CallNode::exec(Eval& eval) const {
  const Val result = run(eval);
  account(eval, info_, args_, result);
  return done(eval, result);
}

Val CallNode::run(Eval& eval) const {
  Args values(eval, args_.size());
  // Up to two arguments are all evaluated before the first failure counts.
  const bool lazy = callee_.shape == Shape::kMany || args_.size() > 2 || with_pattern != nullptr;
  for (std::size_t i = 0; i < args_.size(); ++i) {
    values[i] = args_[i]->exec(eval);
    if (lazy && !callee_.non_strict && values[i].failed()) return values[i];
  }
  if (!callee_.non_strict)
    for (const Val& v : values.span())
      if (v.failed()) return v;
  return settled_ ? settled_value_ : invoke(eval, values.span());
}

void CallNode::settle(Eval& eval) {
  settled_value_ = run(eval);
  settled_ = !settled_value_.failed();
}

Val CallNode::invoke(Eval& eval, std::span<const Val> args) const {
  if (with_pattern != nullptr) return with_pattern(eval, args, *pattern);
  if (args.empty()) return call(eval, args);
  const bool has_fn = callee_.direct != nullptr || callee_.overload != nullptr || callee_.dispatch;
  const unsigned traits = traits_of(args[0]);
  const bool lazy = callee_.shape == Shape::kMany || args.size() > 2;
  if (has_fn && (callee_.traits == 0 || (callee_.non_strict && args[0].failed()) ||
                 (traits & callee_.traits) == callee_.traits))
    return call(eval, args);
  // Types with methods of their own say it without the function's name.
  if ((traits & traits::kReceiver) != 0) return no_such_overload();
  if (lazy) return eval.fail(fmt::format("no such overload: {} {}", info_.function, id_));
  return eval.fail("no such overload: " + info_.function);
}

namespace {

bool takes(Eval& eval, const Overload& o, bool guards, std::span<const Val> args) {
  if (args.size() != o.args.size()) return false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].failed()) {
      if (!o.non_strict) return false;
    } else if (guards && !fits_at_run_time(eval, o.args[i], args[i])) {
      return false;
    }
  }
  return true;
}

Val refuse(Eval& eval, const std::string& function, std::span<const Val> args) {
  std::string types;
  for (const Val& v : args) {
    if (v.is(ValKind::kError)) return v;
    types += (types.empty() ? "" : ", ") + std::string(type_name(v));
  }
  return eval.fail(fmt::format("no such overload: {}({})", function, types));
}

}  // namespace

Val CallNode::call(Eval& eval, std::span<const Val> args) const {
  if (callee_.direct != nullptr) return callee_.direct(eval, args);
  const Function& f = *callee_.function;
  if (callee_.overload != nullptr)
    return takes(eval, *callee_.overload, f.type_guards, args) ? callee_.overload->fn(eval, args)
                                                               : refuse(eval, f.name, args);
  for (const Overload& o : f.overloads)
    if (o.fn != nullptr && takes(eval, o, f.type_guards, args)) return o.fn(eval, args);
  return refuse(eval, f.name, args);
}

// Constructors.

Val ListNode::exec(Eval& eval) const {
  const Val value = make(eval);
  Val ignored;
  for (std::size_t i = elements_.size(); i-- > 0;)
    if (!eval.costs.take(elements_[i]->id(), ignored)) break;
  eval.costs.add(10);
  return done(eval, value);
}

Val ListNode::make(Eval& eval) const {
  Val* values = eval.arena.array<Val>(elements_.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    Val value = elements_[i]->exec(eval);
    if (value.failed()) return value;
    if (!optional_.empty() && optional_[i]) {
      if (!value.is(ValKind::kOptional))
        return eval.fail("cannot initialize optional list element from non-optional value " +
                         display(eval, value));
      if (value.inner == nullptr) continue;
      value = *value.inner;
    }
    values[count++] = value;
  }
  return Val::of_list(eval.arena.make<ArrayList>(std::span<const Val>(values, count)));
}

Val MapNode::exec(Eval& eval) const {
  const Val value = make(eval);
  Val ignored;
  for (std::size_t i = items_.size(); i-- > 0;)
    if (!eval.costs.take(items_[i].value->id(), ignored) ||
        !eval.costs.take(items_[i].key->id(), ignored))
      break;
  eval.costs.add(30);
  return done(eval, value);
}

Val MapNode::make(Eval& eval) const {
  auto* map = eval.arena.make<HashMap>();
  for (const Item& item : items_) {
    const Val key = item.key->exec(eval);
    if (key.failed()) return key;
    Val value = item.value->exec(eval);
    if (value.failed()) return value;
    if (item.optional && !value.is(ValKind::kOptional))
      return eval.fail(
          fmt::format("cannot initialize optional entry '{}' from non-optional value {}",
                      display(eval, key), display(eval, value)));
    if (!hashable(key)) unhashable(key);
    if (item.optional) {
      if (value.inner == nullptr) {
        map->erase(key);
        continue;
      }
      value = *value.inner;
    }
    map->set(eval.arena, key, value);
  }
  return Val::of_map(map);
}

// Comprehensions.

void FoldNode::initialize(Eval& eval) const {
  Slot& slot = eval.slots[accumulator];
  slot.ready = true;
  Val value = init->exec(eval);
  if (value.is(ValKind::kList) && value.list->size() == 0) {
    value = Val::of_list(eval.arena.make<MutableList>());
    slot.is_mutable = true;
  }
  if (value.is(ValKind::kMap) && value.map->size() == 0) {
    auto* map = eval.arena.make<HashMap>();
    map->is_mutable = true;
    value = Val::of_map(map);
    slot.is_mutable = true;
  }
  slot.value = value;
}

namespace {

/// What an accumulator that grows in place holds at the end.
Val frozen(Eval& eval, const Val& v) {
  if (v.is(ValKind::kList) && v.list->form() == ListObj::Form::kMutable)
    return Val::of_list(static_cast<const MutableList*>(v.list)->frozen(eval.arena));
  const auto* map = v.is(ValKind::kMap) ? dynamic_cast<const HashMap*>(v.map) : nullptr;
  if (map == nullptr || !map->is_mutable) return v;
  auto* copy = eval.arena.make<HashMap>(*map);
  copy->is_mutable = false;
  return Val::of_map(copy);
}

}  // namespace

Val FoldNode::exec(Eval& eval) const {
  const Val value = run(eval);
  eval.costs.drop(range->id());
  return done(eval, value);
}

Val FoldNode::run(Eval& eval) const {
  Slot& total = eval.slots[accumulator];
  total = {};
  const Val over = range->exec(eval);
  if (over.failed()) return over;
  const bool is_list = over.is(ValKind::kList);
  if (!is_list && !over.is(ValKind::kMap))
    return eval.fail(second >= 0
                         ? fmt::format("unsupported comprehension range type: {}", go_type(over))
                         : fmt::format("got '{}', expected iterable type", go_type(over)));
  const auto count = [&] { return is_list ? over.list->size() : over.map->size(); };
  const std::size_t at_start = count();
  for (std::size_t i = 0; i < (second >= 0 ? count() : at_start); ++i) {
    eval.work(1);
    if (is_list) {
      const Val element = over.list->at(eval.arena, i);
      eval.slots[first].value =
          second >= 0 ? Val::of_int(static_cast<std::int64_t>(i)) : element;
      if (second >= 0) eval.slots[second].value = element;
    } else {
      eval.slots[first].value = over.map->key_at(eval.arena, i);
      if (second >= 0) eval.slots[second].value = over.map->value_at(eval.arena, i);
    }
    if (condition->exec(eval).is_false()) break;
    const Val next = step->exec(eval);
    total.value = next;
    total.ready = true;
  }
  const Val value = result->exec(eval);
  return eval.slots[accumulator].is_mutable ? frozen(eval, value) : value;
}

Val MembershipNode::exec(Eval& eval) const {
  const Val value = element_->exec(eval);
  if (value.failed()) return done(eval, value);
  if (!hashable(value)) unhashable(value);
  return done(eval, Val::of(set_->holds(value)));
}

Val OrNode::exec(Eval& eval) const {
  const Val left = left_->exec(eval);
  if (left.failed()) return done(eval, left);
  if (!left.is(ValKind::kOptional)) return done(eval, no_such_overload());
  if (left.inner == nullptr) return done(eval, right_->exec(eval));
  return done(eval, value_ ? *left.inner : left);
}

}  // namespace dray::cel
