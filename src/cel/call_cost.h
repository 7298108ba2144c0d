/// What a call really costs.
/// Source: cel-go interpreter/runtimecost.go, apiserver/pkg/cel/library/cost.go, ext/lists.go,
/// ext/sets.go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cel/environment.h"
#include "cel/val.h"

namespace dray::cel {

/// The rule for calls of this function and overload, found once when they are planned.
enum class CostRule : std::uint8_t {
  kOne, kTraversal, kScan0, kScan0Twice, kScanResultTwice, kScan1, kFind, kContainsIp,
  kContainsIpString, kContainsCidr, kContainsCidrString, kValidate, kEqual, kKubernetesEqual,
  kConcat, kInList, kMatches, kContains, kListOutput, kListFlatten, kListCompare0, kListCompare1,
  kSets, kSetsTwice, kCheck, kSelector
};

[[nodiscard]] CostRule cost_rule(const Environment& env, std::string_view function,
                                 std::string_view overload, std::size_t arg_count);
[[nodiscard]] std::uint64_t call_cost(CostRule rule, class Eval& eval, std::span<const Val> args,
                                      const Val& result);

}  // namespace dray::cel
