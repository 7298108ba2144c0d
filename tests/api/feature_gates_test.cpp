#include "api/feature_gates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dray::api {
namespace {

TEST(FeatureGates, TableIsSortedAndClosed) {
  const auto gates = known_gates();
  EXPECT_TRUE(std::is_sorted(gates.begin(), gates.end(),
                             [](const Gate& a, const Gate& b) { return a.name < b.name; }));
  const FeatureGates defaults;
  for (const Gate& gate : gates) {
    for (const std::string_view needed : gate.requires_) {
      ASSERT_TRUE(defaults.all().contains(needed)) << gate.name << " needs " << needed;
      EXPECT_TRUE(!gate.enabled_by_default || defaults.enabled(needed)) << gate.name << " needs " << needed;
    }
    EXPECT_EQ(defaults.enabled(gate.name), gate.enabled_by_default) << gate.name;
  }
}

TEST(FeatureGates, DefaultsOf137) {
  const FeatureGates gates;
  for (const std::string_view on : {"DynamicResourceAllocation", "DRAPrioritizedList", "DRAAdminAccess",
                                    "DrayDevicePreemption"}) {
    EXPECT_TRUE(gates.enabled(on)) << on;
  }
  for (const std::string_view off : {"GenericWorkload", "CompositePodGroup", "WorkloadWithJob",
                                     "DRAResourcePoolStatus"}) {
    EXPECT_FALSE(gates.enabled(off)) << off;
  }
}

TEST(FeatureGates, LaterItemsAndNamedOnesWin) {
  const auto all = FeatureGates::parse("AllAlpha=true,GenericWorkload=false,GenericWorkload=true");
  ASSERT_TRUE(all.has_value()) << all.error().message;
  EXPECT_TRUE(all->enabled("GenericWorkload"));
  EXPECT_TRUE(all->enabled("DRAResourcePoolStatus"));
  const auto named = FeatureGates::parse("GenericWorkload=true,CompositePodGroup=false,AllAlpha=true");
  ASSERT_TRUE(named.has_value()) << named.error().message;
  EXPECT_FALSE(named->enabled("CompositePodGroup"));
  const auto spaced = FeatureGates::parse(" GenericWorkload = true ");
  ASSERT_TRUE(spaced.has_value()) << spaced.error().message;
  EXPECT_TRUE(spaced->enabled("GenericWorkload"));
  EXPECT_TRUE(FeatureGates::parse("").has_value());
}

TEST(FeatureGates, Errors) {
  for (const std::string_view text : {"NoSuchGate=true", "GenericWorkload=perhaps", "GenericWorkload",
                                      "DynamicResourceAllocation=false"}) {
    const auto gates = FeatureGates::parse(text);
    ASSERT_FALSE(gates.has_value()) << text;
    EXPECT_EQ(gates.error().code, Code::kBadRequest) << text;
    EXPECT_FALSE(gates.error().message.empty());
  }
  // A gate that is on without the gate that it needs.
  EXPECT_FALSE(FeatureGates::parse("CompositePodGroup=true,GenericWorkload=false").has_value());
}

}  // namespace
}  // namespace dray::api
