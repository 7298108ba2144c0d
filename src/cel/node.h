/// The steps of a program: what the planner makes of a syntax tree.
/// Each step counts its own cost and leaves its value where calls find their arguments.
/// Source: cel-go interpreter (interpretable.go, attributes.go, decorators.go).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cel/call_cost.h"
#include "cel/environment.h"
#include "cel/eval.h"

namespace re2 {
class RE2;
}

namespace dray::cel {

class HashMap;

/// Immutable once planned, shared between threads.
class Node {
 public:
  explicit Node(int id) : id_(id) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  [[nodiscard]] virtual Val exec(Eval& eval) const = 0;
  [[nodiscard]] int id() const { return id_; }

 protected:
  /// Leaves the value of this step for calls that want it.
  Val done(Eval& eval, const Val& value) const {
    eval.costs.push(id_, value);
    eval.costs.check();
    return value;
  }
  int id_;
};
using NodePtr = std::unique_ptr<Node>;

class ConstNode final : public Node {
 public:
  ConstNode(int id, const Val& value) : Node(id), value_(value) {}
  [[nodiscard]] Val exec(Eval& eval) const override { return done(eval, value_); }
  [[nodiscard]] const Val& value() const { return value_; }

 private:
  Val value_;
};

class Attribute;

/// A step along an attribute: a field, a key or an index.
struct Qualifier {
  enum class Form : std::uint8_t {
    kConst,      // a literal
    kAttribute,  // the value of a variable or a path
    kRelative,   // the value of any other expression
  };
  int id = 0;
  Form form = Form::kConst;
  bool optional = false;
  bool test_only = false;  // has(): present or not
  Val key;
  std::shared_ptr<Attribute> attribute;
};

/// Where a path ended. `complete`: the last qualifier was reached, and its value is not yet left on
/// the stack.
struct Resolved {
  Val value;
  bool complete = false;
};

/// A variable, or the value of an expression, and a path from there.
class Attribute {
 public:
  virtual ~Attribute() = default;
  [[nodiscard]] virtual int id() const = 0;
  virtual void add(const Qualifier& qualifier) = 0;
  [[nodiscard]] virtual Resolved resolve(Eval& eval) const = 0;
  /// Leaves the value of the last qualifier, as a step that is no expression of its own does.
  [[nodiscard]] Val resolve_and_leave(Eval& eval) const;
};

struct FoldNode;

/// A variable of the input or of a comprehension.
class VariableAttribute final : public Attribute {
 public:
  /// `index` of the environment's variable; -1: `name` is a slot, or nothing at all.
  VariableAttribute(int id, std::string name, int index, int slot, const FoldNode* fold)
      : base_id_(id), name_(std::move(name)), index_(index), slot_(slot), fold_(fold) {}
  [[nodiscard]] int id() const override {
    return qualifiers_.empty() ? base_id_ : qualifiers_.back().id;
  }
  void add(const Qualifier& qualifier) override { qualifiers_.push_back(qualifier); }
  [[nodiscard]] Resolved resolve(Eval& eval) const override;
  [[nodiscard]] const std::vector<Qualifier>& qualifiers() const { return qualifiers_; }
  [[nodiscard]] int index() const { return index_; }

 private:
  int base_id_;
  std::string name_;
  int index_;
  int slot_;
  const FoldNode* fold_;  // of an accumulator: it is made when first read
  std::vector<Qualifier> qualifiers_;
};

class RelativeAttribute final : public Attribute {
 public:
  RelativeAttribute(int id, NodePtr operand) : base_id_(id), operand_(std::move(operand)) {}
  [[nodiscard]] int id() const override {
    return qualifiers_.empty() ? base_id_ : qualifiers_.back().id;
  }
  void add(const Qualifier& qualifier) override { qualifiers_.push_back(qualifier); }
  [[nodiscard]] Resolved resolve(Eval& eval) const override;

 private:
  int base_id_;
  NodePtr operand_;
  std::vector<Qualifier> qualifiers_;
};

class ConditionalAttribute final : public Attribute {
 public:
  ConditionalAttribute(int id, NodePtr condition, std::shared_ptr<Attribute> yes,
                       std::shared_ptr<Attribute> no)
      : base_id_(id), condition_(std::move(condition)), yes_(std::move(yes)), no_(std::move(no)) {}
  [[nodiscard]] int id() const override {
    return yes_->id() == no_->id() ? yes_->id() : base_id_;
  }
  void add(const Qualifier& qualifier) override {
    yes_->add(qualifier);
    no_->add(qualifier);
  }
  [[nodiscard]] Resolved resolve(Eval& eval) const override;
  void drop(Eval& eval) const;

 private:
  int base_id_;
  NodePtr condition_;
  std::shared_ptr<Attribute> yes_, no_;
};

/// A name of an expression that was not checked: the longest qualified name that is a variable.
class MaybeAttribute final : public Attribute {
 public:
  explicit MaybeAttribute(std::vector<std::shared_ptr<VariableAttribute>> candidates,
                          std::string name)
      : candidates_(std::move(candidates)), names_{std::move(name)} {}
  [[nodiscard]] int id() const override { return candidates_.front()->id(); }
  void add(const Qualifier& qualifier) override;
  [[nodiscard]] Resolved resolve(Eval& eval) const override;
  const Environment* env = nullptr;

 private:
  std::vector<std::shared_ptr<VariableAttribute>> candidates_;
  std::vector<std::string> names_;
};

/// The value of an attribute, as an expression.
class AttributeNode final : public Node {
 public:
  explicit AttributeNode(std::shared_ptr<Attribute> attribute, bool optional = false)
      : Node(attribute->id()), attribute_(std::move(attribute)), optional_(optional),
        conditional_(dynamic_cast<const ConditionalAttribute*>(attribute_.get())) {}
  [[nodiscard]] Val exec(Eval& eval) const override;
  void add(const Qualifier& qualifier) {
    attribute_->add(qualifier);
    id_ = attribute_->id();
  }
  void make_test(int id, bool costs) {
    test_only_ = true;
    test_costs_ = costs;
    id_ = id;
  }
  [[nodiscard]] const std::shared_ptr<Attribute>& attribute() const { return attribute_; }
  [[nodiscard]] bool optional() const { return optional_; }

 private:
  std::shared_ptr<Attribute> attribute_;
  bool optional_;
  bool test_only_ = false;
  bool test_costs_ = true;
  const ConditionalAttribute* conditional_;
};

class LogicNode final : public Node {
 public:
  LogicNode(int id, bool is_and, std::vector<NodePtr> terms)
      : Node(id), decides_(!is_and), terms_(std::move(terms)) {}
  [[nodiscard]] Val exec(Eval& eval) const override;

 private:
  bool decides_;  // the value that makes the others unimportant
  std::vector<NodePtr> terms_;
};

/// What a call's cost depends on, resolved when it is planned.
struct CallInfo {
  std::string function;
  std::string overload;  // empty: several
  CostRule cost = CostRule::kOne;
};

class EqualNode final : public Node {
 public:
  EqualNode(int id, bool negated, NodePtr a, NodePtr b, CallInfo info)
      : Node(id), negated_(negated), a_(std::move(a)), b_(std::move(b)), info_(std::move(info)) {}
  [[nodiscard]] Val exec(Eval& eval) const override;

 private:
  bool negated_;
  NodePtr a_, b_;
  CallInfo info_;
};

/// How a call finds its implementation.
struct Callee {
  const Function* function = nullptr;  // null: nothing is known under that name
  const Overload* overload = nullptr;  // the only one
  bool dispatch = false;               // try the overloads of the function in order
  Fn direct = nullptr;                 // the function's own implementation, or a replacement
  unsigned traits = 0;
  bool non_strict = false;
  Shape shape = Shape::kNone;
};

class CallNode final : public Node {
 public:
  CallNode(int id, CallInfo info, Callee callee, std::vector<NodePtr> args)
      : Node(id), info_(std::move(info)), callee_(callee), args_(std::move(args)) {}
  [[nodiscard]] Val exec(Eval& eval) const override;
  [[nodiscard]] const CallInfo& info() const { return info_; }
  [[nodiscard]] const std::vector<NodePtr>& args() const { return args_; }
  [[nodiscard]] std::vector<NodePtr>& args() { return args_; }
  /// For a call of constants that always gives the same: its result is kept, as long as `eval` lives.
  /// Steps and costs stay as they are.
  void settle(Eval& eval);
  /// A constant pattern, compiled once: the call runs on it.
  std::shared_ptr<const re2::RE2> pattern;
  Val (*with_pattern)(Eval&, std::span<const Val>, const re2::RE2&) = nullptr;

 private:
  [[nodiscard]] Val invoke(Eval& eval, std::span<const Val> args) const;
  [[nodiscard]] Val call(Eval& eval, std::span<const Val> args) const;
  [[nodiscard]] Val run(Eval& eval) const;

  CallInfo info_;
  Callee callee_;
  std::vector<NodePtr> args_;
  bool settled_ = false;
  Val settled_value_;
};

class ListNode final : public Node {
 public:
  ListNode(int id, std::vector<NodePtr> elements, std::vector<bool> optional)
      : Node(id), elements_(std::move(elements)), optional_(std::move(optional)) {}
  [[nodiscard]] Val exec(Eval& eval) const override;
  [[nodiscard]] const std::vector<NodePtr>& elements() const { return elements_; }

 private:
  [[nodiscard]] Val make(Eval& eval) const;
  std::vector<NodePtr> elements_;
  std::vector<bool> optional_;
};

class MapNode final : public Node {
 public:
  struct Item {
    NodePtr key, value;
    bool optional;
  };
  MapNode(int id, std::vector<Item> items) : Node(id), items_(std::move(items)) {}
  [[nodiscard]] Val exec(Eval& eval) const override;
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }

 private:
  [[nodiscard]] Val make(Eval& eval) const;
  std::vector<Item> items_;
};

struct FoldNode final : public Node {
  using Node::Node;
  [[nodiscard]] Val exec(Eval& eval) const override;
  [[nodiscard]] Val run(Eval& eval) const;
  /// Of the accumulator, when it is first read.
  void initialize(Eval& eval) const;

  int accumulator = 0, first = 0, second = -1;  // slots
  NodePtr range, init, condition, step, result;
};

/// `x in [constants]`.
class MembershipNode final : public Node {
 public:
  MembershipNode(int id, NodePtr element, const HashMap* set)
      : Node(id), element_(std::move(element)), set_(set) {}
  [[nodiscard]] Val exec(Eval& eval) const override;

 private:
  NodePtr element_;
  const HashMap* set_;
};

/// optional.or, optional.orValue: the right side is evaluated if it is needed.
class OrNode final : public Node {
 public:
  OrNode(int id, bool value, NodePtr left, NodePtr right)
      : Node(id), value_(value), left_(std::move(left)), right_(std::move(right)) {}
  [[nodiscard]] Val exec(Eval& eval) const override;

 private:
  bool value_;
  NodePtr left_, right_;
};

/// Go's name of a value's type: error texts quote it ("types.String", "*types.baseList").
[[nodiscard]] std::string_view go_type(const Val& v);

}  // namespace dray::cel
