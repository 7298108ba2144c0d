#include "api/resource_prepare.h"

#include <gtest/gtest.h>

#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

using namespace std::chrono_literals;

class ResourcePrepare : public ::testing::Test {
 protected:
  [[nodiscard]] HookContext context() const { return {gates, now, find}; }
  [[nodiscard]] Time time() const { return Time::of(now.wall); }

  FeatureGates gates;
  Now now{MonoTime{}, WallTime{500'000h}};
  std::function<ObjectPtr(const StructDescriptor&, std::string_view, std::string_view)> find;
};

resource::DeviceTaintRule rule(const std::string& effect) {
  resource::DeviceTaintRule out;
  out.spec.taint.key = "k";
  out.spec.taint.effect = effect;
  return out;
}

TEST_F(ResourcePrepare, TaintRulesRememberSinceWhenTheirEffectHolds) {
  auto old = rule("NoSchedule");
  old.status.conditions.emplace_back();
  prepare_taint_rule_create(context(), old);
  EXPECT_EQ(old.spec.taint.time_added, time());
  EXPECT_EQ(old.metadata.generation, 1);
  EXPECT_TRUE(old.status.conditions.empty());
  now.wall += 1h;

  auto same_effect = old;
  same_effect.spec.taint.value = "v";
  prepare_taint_rule_update(context(), same_effect, old);
  EXPECT_EQ(same_effect.spec.taint.time_added, old.spec.taint.time_added);
  EXPECT_EQ(same_effect.metadata.generation, 2);

  auto other_effect = old;
  other_effect.spec.taint.effect = "NoExecute";
  prepare_taint_rule_update(context(), other_effect, old);
  EXPECT_EQ(other_effect.spec.taint.time_added, time());

  auto said_otherwise = old;
  said_otherwise.spec.taint.effect = "NoExecute";
  said_otherwise.spec.taint.time_added = Time{42};
  prepare_taint_rule_update(context(), said_otherwise, old);
  EXPECT_EQ(said_otherwise.spec.taint.time_added, Time{42});
}

TEST_F(ResourcePrepare, StatusWritesKeepTheRest) {
  auto old = rule("NoSchedule");
  old.metadata.labels["a"] = "b";
  auto fresh = rule("NoExecute");
  fresh.metadata.labels["a"] = "c";
  fresh.status.conditions.emplace_back().type = "EvictionInProgress";
  prepare_taint_rule_status(context(), fresh, old);
  EXPECT_EQ(fresh.spec.taint.effect, "NoSchedule");
  EXPECT_EQ(fresh.metadata.labels["a"], "b");
  EXPECT_EQ(fresh.status.conditions.size(), 1U);
}

TEST_F(ResourcePrepare, EntriesOfDevicesThatAreFreedGo) {
  resource::ResourceClaim old;
  for (const char* device : {"gpu-0", "gpu-1"}) {
    old.status.allocation.ensure().devices.results.emplace_back().device = device;
    old.status.devices.emplace_back().device = device;
  }
  old.status.devices.emplace_back().device = "never allocated";
  auto fresh = old;
  fresh.status.allocation->devices.results.pop_back();
  prepare_claim_status(context(), fresh, old);
  ASSERT_EQ(fresh.status.devices.size(), 2U);
  EXPECT_EQ(fresh.status.devices[0].device, "gpu-0");
  EXPECT_EQ(fresh.status.devices[1].device, "never allocated") << "validation refuses it";

  fresh = old;
  fresh.status.allocation.reset();
  prepare_claim_status(context(), fresh, old);
  EXPECT_EQ(fresh.status.devices.size(), 1U);
}

TEST_F(ResourcePrepare, ClaimsGetNoStatusFromTheirCreator) {
  resource::ResourceClaim claim;
  claim.status.allocation.emplace();
  prepare_claim_create(context(), claim);
  EXPECT_FALSE(claim.status.allocation);
}

TEST_F(ResourcePrepare, FieldsOfFeaturesThatAreOffGo) {
  gates.set("DRAConsumableCapacity", false);
  resource::ResourceSlice fresh;
  auto& device = fresh.spec.devices.emplace_back();
  device.allow_multiple_allocations = true;
  device.capacity["memory"].request_policy.emplace();
  const resource::ResourceSlice sent = fresh;
  prepare_slice_create(context(), fresh);
  EXPECT_FALSE(fresh.spec.devices[0].allow_multiple_allocations);
  EXPECT_FALSE(fresh.spec.devices[0].capacity["memory"].request_policy);

  // One use of the feature keeps all of it.
  resource::ResourceSlice old;
  old.spec.devices.emplace_back().allow_multiple_allocations = false;
  fresh = sent;
  prepare_slice_update(context(), fresh, old);
  EXPECT_TRUE(equal(fresh.spec, sent.spec));
}

TEST_F(ResourcePrepare, BindingConditionsNeedTwoGates) {
  resource::ResourceSlice sent;
  sent.spec.devices.emplace_back().binding_conditions = {"ready"};
  for (const char* gate : {"DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"}) {
    gates = FeatureGates();
    gates.set(gate, false);
    auto fresh = sent;
    prepare_slice_create(context(), fresh);
    EXPECT_TRUE(fresh.spec.devices[0].binding_conditions.empty()) << gate;
  }
}

TEST_F(ResourcePrepare, GenerationsCountChangesOfTheSpec) {
  resource::DeviceClass old;
  prepare_class_create(context(), old);
  EXPECT_EQ(old.metadata.generation, 1);
  auto fresh = old;
  fresh.metadata.labels["a"] = "b";
  fresh.metadata.generation = 7;
  prepare_class_update(context(), fresh, old);
  EXPECT_EQ(fresh.metadata.generation, 1);
  fresh.spec.extended_resource_name = "example.com/gpu";
  prepare_class_update(context(), fresh, old);
  EXPECT_EQ(fresh.metadata.generation, 2);
}

}  // namespace
}  // namespace dray::api
