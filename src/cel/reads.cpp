#include "cel/reads.h"

#include <algorithm>
#include <optional>

namespace dray::cel {
namespace {

/// What an expression stands for, as far as it is known without evaluating it.
struct Place {
  enum class Kind : std::uint8_t {
    kOther, kDevice, kAttributes, kCapacity, kAttributeDomain, kCapacityDomain
  };
  Kind kind = Kind::kOther;
  std::string domain;
};
using Kind = Place::Kind;

class Finder {
 public:
  Reads run(const Expr* root) {
    use(visit(root));
    const auto tidy = [](auto& list) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    tidy(reads_.attributes);
    tidy(reads_.capacity);
    tidy(reads_.attribute_domains);
    tidy(reads_.capacity_domains);
    return std::move(reads_);
  }

 private:
  /// The value as a whole matters.
  void use(const Place& p) {
    switch (p.kind) {
      case Kind::kOther: return;
      case Kind::kDevice:
        reads_.driver = reads_.allow_multiple_allocations = true;
        reads_.all_attributes = reads_.all_capacity = true;
        return;
      case Kind::kAttributes: reads_.all_attributes = true; return;
      case Kind::kCapacity: reads_.all_capacity = true; return;
      case Kind::kAttributeDomain: reads_.attribute_domains.push_back(p.domain); return;
      case Kind::kCapacityDomain: reads_.capacity_domains.push_back(p.domain); return;
    }
  }

  /// `place[name]` or `place.name`.
  Place step(const Place& place, const std::string& name) {
    switch (place.kind) {
      case Kind::kDevice:
        if (name == "driver") return reads_.driver = true, Place{};
        if (name == "attributes") return {Kind::kAttributes, {}};
        if (name == "capacity") return {Kind::kCapacity, {}};
        if (name == "allowMultipleAllocations") reads_.allow_multiple_allocations = true;
        return {};
      case Kind::kAttributes: return {Kind::kAttributeDomain, name};
      case Kind::kCapacity: return {Kind::kCapacityDomain, name};
      case Kind::kAttributeDomain: reads_.attributes.push_back({place.domain, name}); return {};
      case Kind::kCapacityDomain: reads_.capacity.push_back({place.domain, name}); return {};
      case Kind::kOther: return {};
    }
    return {};
  }

  Place visit(const Expr* e) {
    switch (e->kind) {
      case ExprKind::kIdent: return ident(e);
      case ExprKind::kSelect: return step(visit(e->operand), e->name);
      case ExprKind::kCall: return call(e);
      case ExprKind::kList:
        for (const Expr* arg : e->args) use(visit(arg));
        return {};
      case ExprKind::kMap:
      case ExprKind::kStruct:
        for (const Entry& entry : e->entries) {
          if (entry.key != nullptr) use(visit(entry.key));
          use(visit(entry.value));
        }
        return {};
      case ExprKind::kFold: return fold(e);
      default: return {};
    }
  }

  Place ident(const Expr* e) {
    for (auto it = locals_.rbegin(); it != locals_.rend(); ++it)
      if (it->first == e->name) return it->second;
    return e->name == "device" || e->name == ".device" ? Place{Kind::kDevice, {}} : Place{};
  }

  Place call(const Expr* e) {
    const bool index = e->name == "_[_]" || e->name == "_[?_]" || e->name == "_?._";
    if (index && e->args.size() == 2) {
      const Place place = visit(e->args[0]);
      if (e->args[1]->is_literal(LiteralKind::kString)) return step(place, e->args[1]->literal.text);
      use(visit(e->args[1]));
      use(place);
      return {};
    }
    if (e->name == "@in" && e->args.size() == 2 && e->args[0]->is_literal(LiteralKind::kString)) {
      const Place place = visit(e->args[1]);
      if (place.kind == Kind::kAttributeDomain || place.kind == Kind::kCapacityDomain) {
        step(place, e->args[0]->literal.text);
        return {};
      }
      if (place.kind == Kind::kAttributes || place.kind == Kind::kCapacity) {
        use(step(place, e->args[0]->literal.text));
        return {};
      }
      use(place);
      return {};
    }
    if (e->operand != nullptr) use(visit(e->operand));
    for (const Expr* arg : e->args) use(visit(arg));
    return {};
  }

  Place fold(const Expr* e) {
    const Fold& f = *e->fold;
    use(visit(f.range));
    const Place init = visit(f.init);
    const bool binding = f.range->kind == ExprKind::kList && f.range->args.empty();
    if (!binding) use(init);
    const std::size_t outer = locals_.size();
    locals_.emplace_back(f.accumulator, binding ? init : Place{});
    if (!binding) {
      locals_.emplace_back(f.variable, Place{});
      if (!f.variable2.empty()) locals_.emplace_back(f.variable2, Place{});
      use(visit(f.condition));
      use(visit(f.step));
      locals_.resize(outer + 1);
    }
    const Place result = visit(f.result);
    locals_.resize(outer);
    return result;
  }

  Reads reads_;
  std::vector<std::pair<std::string, Place>> locals_;
};

}  // namespace

Reads find_reads(const Ast& ast) { return Finder().run(ast.root); }

}  // namespace dray::cel
