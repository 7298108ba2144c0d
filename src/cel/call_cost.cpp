#include "cel/call_cost.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cel/eval.h"
#include "cel/named_format.h"
#include "cel/ops.h"

namespace dray::cel {
namespace {

constexpr double kScan = 0.1;      // per character
constexpr double kRegex = 0.25;    // per character of a pattern
constexpr std::uint64_t kListBase = 10;

std::uint64_t ceil(double d) { return static_cast<std::uint64_t>(std::ceil(d)); }

std::uint64_t sized(const Val& v) {
  const std::int64_t size = size_of(v);
  return size < 0 ? 1 : static_cast<std::uint64_t>(size);
}

/// As sized; the value of an optional counts for it.
std::uint64_t size_or_inner(const Val& v) {
  return v.is(ValKind::kOptional) && v.inner != nullptr ? size_or_inner(*v.inner) : sized(v);
}

std::uint64_t scan(std::uint64_t size, double factor = kScan) {
  return ceil(static_cast<double>(size) * factor);
}

std::uint64_t traversal(Eval& eval, const Val& v) {
  const Eval::Deeper deeper(eval);
  eval.work(1);
  switch (v.kind) {
    case ValKind::kString:
    case ValKind::kBytes: return static_cast<std::uint64_t>(static_cast<double>(v.size) * kScan);
    case ValKind::kList: {
      std::uint64_t cost = 0;
      for (std::size_t i = 0; i < v.list->size(); ++i)
        cost += traversal(eval, v.list->at(eval.arena, i));
      return cost;
    }
    case ValKind::kMap: {
      std::uint64_t cost = 0;
      for (std::size_t i = 0; i < v.map->size(); ++i)
        cost += traversal(eval, v.map->key_at(eval.arena, i)) +
                traversal(eval, v.map->value_at(eval.arena, i));
      return cost;
    }
    default: return 1;
  }
}

std::uint64_t equality(const Val& a, const Val& b) {
  return scan(std::min(size_or_inner(a), size_or_inner(b)));
}

std::uint64_t regex(std::uint64_t text, std::uint64_t pattern) {
  return ceil((1.0 + static_cast<double>(text)) * kScan) *
         ceil(static_cast<double>(pattern) * kRegex);
}

std::uint64_t allocating(double factor, std::uint64_t size) {
  if (factor < 0) factor = 1;
  const double product = static_cast<double>(size) * factor;
  const std::uint64_t cost =
      product >= 18446744073709551615.0 ? UINT64_MAX : static_cast<std::uint64_t>(product);
  return cost > UINT64_MAX - kListBase - 1 ? UINT64_MAX : cost + 1 + kListBase;
}

/// The reference panics where it expects a list and finds an error.
[[noreturn]] void not_a_list() {
  throw Cancelled{"internal error: interface conversion: ref.Val is *types.Err, not traits.Lister"};
}

std::uint64_t self_compare(Eval& eval, const Val& list) {
  if (!list.is(ValKind::kList)) not_a_list();
  const std::uint64_t size = list.list->size();
  double factor = 2;
  if (size > 0) {
    const Val first = list.list->at(eval.arena, 0);
    if (first.is(ValKind::kString) || first.is(ValKind::kBytes)) factor += kScan;
  }
  return allocating(factor, size > 0xFFFFFFFF ? UINT64_MAX : size * size);
}

using Rules = std::map<std::string_view, CostRule, std::less<>>;

/// Kubernetes' rules, by function.
const Rules& kubernetes_rules() {
  static const Rules kRules = [] {
    Rules rules;
    const auto set = [&](CostRule rule, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) rules[name] = rule;
    };
    set(CostRule::kCheck, {"check"});
    set(CostRule::kOne, {"serviceAccount", "path", "group", "resource", "subresource", "namespace",
                         "name", "allowed", "reason", "error", "errored"});
    set(CostRule::kSelector, {"fieldSelector", "labelSelector"});
    set(CostRule::kTraversal,
        {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"});
    set(CostRule::kScan0, {"url", "lowerAscii", "upperAscii", "substring", "trim",
                           "jsonpatch.escapeKey", "cidr", "isIP", "isCIDR", "ip", "quantity",
                           "isQuantity", "semver", "isSemver"});
    set(CostRule::kScan0Twice, {"replace", "split", "ip.isCanonical"});
    set(CostRule::kScanResultTwice, {"join"});
    set(CostRule::kFind, {"find", "findAll"});
    set(CostRule::kOne,
        {"masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast",
         "isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger",
         "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major",
         "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath",
         "getQuery"});
    set(CostRule::kContainsIp, {"containsIP"});
    set(CostRule::kContainsCidr, {"containsCIDR"});
    set(CostRule::kValidate, {"validate"});
    set(CostRule::kKubernetesEqual, {"_==_"});
    return rules;
  }();
  return kRules;
}

/// The language's own rules, by overload.
const Rules& language_rules() {
  static const Rules kRules = [] {
    Rules rules{{"starts_with_string", CostRule::kScan1},  {"ends_with_string", CostRule::kScan1},
                {"string_to_bytes", CostRule::kScan0},     {"bytes_to_string", CostRule::kScan0},
                {"strings_quote", CostRule::kScan0},       {"string_format", CostRule::kScan0},
                {"in_list", CostRule::kInList},            {"equals", CostRule::kEqual},
                {"not_equals", CostRule::kEqual},          {"add_string", CostRule::kConcat},
                {"add_bytes", CostRule::kConcat},          {"matches", CostRule::kMatches},
                {"matches_string", CostRule::kMatches},    {"contains_string", CostRule::kContains}};
    for (const std::string_view name :
         {"less_string", "greater_string", "less_equals_string", "greater_equals_string",
          "less_bytes", "greater_bytes", "less_equals_bytes", "greater_equals_bytes"})
      rules[name] = CostRule::kEqual;
    return rules;
  }();
  return kRules;
}

bool library_rule(const Environment& env, std::string_view overload, CostRule& rule) {
  if (env.set_costs && overload.starts_with("list_sets_")) {
    rule = overload == "list_sets_equivalent_list" ? CostRule::kSetsTwice : CostRule::kSets;
    return true;
  }
  if (!env.list_costs) return false;
  if (overload == "list_slice" || overload == "lists_range" || overload == "list_reverse") {
    rule = CostRule::kListOutput;
  } else if (overload == "list_flatten" || overload == "list_flatten_int") {
    rule = CostRule::kListFlatten;
  } else if (overload == "list_distinct" ||
             (overload.starts_with("list_") && overload.ends_with("_sort"))) {
    rule = CostRule::kListCompare0;
  } else if (overload.ends_with("_sortByAssociatedKeys")) {
    rule = CostRule::kListCompare1;
  } else {
    return false;
  }
  return true;
}

}  // namespace

CostRule cost_rule(const Environment& env, std::string_view function, std::string_view overload,
                   std::size_t arg_count) {
  CostRule rule = CostRule::kOne;
  if (library_rule(env, overload, rule)) return rule;
  if (env.kubernetes_costs) {
    if (const auto it = kubernetes_rules().find(function); it != kubernetes_rules().end()) {
      rule = it->second;
      const bool two = rule == CostRule::kFind || rule == CostRule::kContainsIp ||
                       rule == CostRule::kContainsCidr || rule == CostRule::kValidate ||
                       rule == CostRule::kSelector;
      if (overload == "cidr_ip") return CostRule::kOne;
      if (overload == "cidr_contains_ip_string") return CostRule::kContainsIpString;
      if (overload == "cidr_contains_cidr_string") return CostRule::kContainsCidrString;
      if (arg_count >= (two ? 2u : 1u) || rule == CostRule::kOne) return rule;
    }
  }
  const auto it = language_rules().find(overload);
  return it == language_rules().end() ? CostRule::kOne : it->second;
}

std::uint64_t call_cost(CostRule rule, Eval& eval, std::span<const Val> args, const Val& result) {
  switch (rule) {
    case CostRule::kOne: return 1;
    case CostRule::kCheck: return 350'000;
    case CostRule::kSelector:
      return 10 + scan(sized(args[1])) + scan(scan(sized(args[1]), 0.5), 50);
    case CostRule::kTraversal: return traversal(eval, args[0]);
    case CostRule::kScan0: return scan(sized(args[0]));
    case CostRule::kScan0Twice: return scan(sized(args[0]) * 2);
    case CostRule::kScanResultTwice: return scan(sized(result) * 2);
    case CostRule::kScan1: return scan(size_or_inner(args[1]));
    case CostRule::kFind: return regex(sized(args[0]), sized(args[1]));
    case CostRule::kContainsIp: return scan(sized(args[0]) * 2);
    case CostRule::kContainsIpString: return scan(sized(args[0]) * 2) + scan(sized(args[1]));
    case CostRule::kContainsCidr: return scan(sized(args[0]) * 2) + scan(sized(args[0])) + 1;
    case CostRule::kContainsCidrString:
      return scan(sized(args[0]) * 2) + scan(sized(args[0])) + 1 + scan(sized(args[1]));
    case CostRule::kValidate:
      if (!args[0].is(ValKind::kFormat)) return 1;
      return regex(sized(args[1]), static_cast<std::uint64_t>(args[0].format->regex_size));
    case CostRule::kKubernetesEqual:
      if (args[0].kind >= ValKind::kQuantity && args[0].kind <= ValKind::kFormat) return 1;
      return equality(args[0], args[1]);
    case CostRule::kEqual: return equality(args[0], args[1]);
    case CostRule::kConcat: return scan(size_or_inner(args[0]) + size_or_inner(args[1]));
    case CostRule::kInList: return size_or_inner(args[1]);
    case CostRule::kMatches: return regex(size_or_inner(args[0]), size_or_inner(args[1]));
    case CostRule::kContains: return scan(size_or_inner(args[0])) * scan(size_or_inner(args[1]));
    case CostRule::kListOutput: return allocating(1, sized(result));
    case CostRule::kListFlatten:
      if (args.size() == 2 && !args[1].is(ValKind::kInt)) not_a_list();
      return allocating(args.size() == 2 ? static_cast<double>(args[1].integer) : 1.0,
                        sized(args[0]));
    case CostRule::kListCompare0: return self_compare(eval, args[0]);
    case CostRule::kListCompare1: return self_compare(eval, args[1]);
    case CostRule::kSets: return 1 + sized(args[0]) * sized(args[1]);
    case CostRule::kSetsTwice: return 1 + sized(args[0]) * sized(args[1]) * 2;
  }
  return 1;
}

}  // namespace dray::cel
