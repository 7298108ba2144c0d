#include "controllers/device_taint_eviction.h"

#include "controllers/world.h"

namespace dray::controllers {
namespace {

using Claim = resource::ResourceClaim;

void publish(World& world, const std::string& taint_effect = "") {
  const bool there = world.get<resource::ResourceSlice>("s") != nullptr;
  const auto fill = [&](resource::ResourceSlice& slice) {
    slice.spec.driver = "gpu.example.com";
    slice.spec.node_name = "n1";
    slice.spec.pool.name = "n1";
    slice.spec.pool.resource_slice_count = 1;
    slice.spec.devices.clear();
    for (const char* name : {"gpu-0", "gpu-1"}) {
      resource::Device& device = slice.spec.devices.emplace_back();
      device.name = name;
      if (taint_effect.empty() || name != std::string("gpu-0")) continue;
      resource::DeviceTaint& taint = device.taints.emplace_back();
      taint.key = "broken";
      taint.effect = taint_effect;
    }
  };
  if (there) {
    world.change<resource::ResourceSlice>("s", fill);
  } else {
    auto slice = std::make_shared<resource::ResourceSlice>();
    slice->metadata.name = "s";
    fill(*slice);
    world.create(slice);
  }
  world.settle();
}

/// A pod on n1 with a claim for one device, allocated as the scheduler would.
void place(World& world, const std::string& name, const std::string& device,
           std::optional<std::int64_t> tolerates_for = std::nullopt) {
  auto claim = std::make_shared<Claim>();
  claim->metadata.name = name;
  auto& request = claim->spec.devices.requests.emplace_back();
  request.name = "r";
  request.exactly.ensure().device_class_name = "gpu";
  world.create(claim);
  auto user = pod(name);
  user->spec.node_name = "n1";
  auto& entry = user->spec.resource_claims.emplace_back();
  entry.name = "r";
  entry.resource_claim_name = name;
  const auto made = world.create(user);
  world.change<Claim>(name, [](Claim& c) { c.metadata.finalizers = {"resource.kubernetes.io/delete-protection"}; });
  world.change<Claim>(name, [&](Claim& c) {
    auto& result = c.status.allocation.ensure().devices.results.emplace_back();
    result.request = "r";
    result.driver = "gpu.example.com";
    result.pool = "n1";
    result.device = device;
    if (tolerates_for) {
      auto& toleration = result.tolerations.emplace_back();
      toleration.key = "broken";
      toleration.operator_ = "Exists";
      toleration.effect = "NoExecute";
      toleration.toleration_seconds = *tolerates_for;
    }
    auto& consumer = c.status.reserved_for.emplace_back();
    consumer.resource = "pods";
    consumer.name = name;
    consumer.uid = made->metadata.uid;
  }, "status");
  world.settle();
}

bool going(World& world, const std::string& name) {
  const auto one = world.get<core::Pod>(name);
  return !one || one->metadata.deletion_timestamp;
}

std::string status_of(World& world, const std::string& rule) {
  const auto& conditions = world.get<Rule>(rule)->status.conditions;
  return conditions.empty() ? "" : conditions[0].status + " " + conditions[0].reason + ": " + conditions[0].message;
}

std::shared_ptr<Rule> rule(const std::string& effect, const std::string& device = "") {
  auto out = std::make_shared<Rule>();
  out->metadata.name = "r";
  out->spec.device_selector.ensure().driver = "gpu.example.com";
  if (!device.empty()) out->spec.device_selector->device = device;
  out->spec.taint.key = "broken";
  out->spec.taint.effect = effect;
  return out;
}

TEST(DeviceTaints, OfASliceEvict) {
  World world;
  world.make_node("n1");
  publish(world);
  place(world, "hit", "gpu-0");
  place(world, "neighbour", "gpu-1");
  publish(world, "NoSchedule");
  EXPECT_FALSE(going(world, "hit"));
  publish(world, "NoExecute");
  EXPECT_TRUE(going(world, "hit"));
  EXPECT_FALSE(going(world, "neighbour"));
  EXPECT_EQ(world.events_of("hit").at(0), "DeviceTaintManagerEviction: Marking for deletion");
  const auto* const condition = store::pod_condition(*world.get<core::Pod>("hit"), "DisruptionTarget");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason, "DeletionByDeviceTaintManager");
}

TEST(DeviceTaints, OfARuleEvictAfterAWhileAndItsStatusTells) {
  World world;
  world.make_node("n1");
  publish(world);
  place(world, "now", "gpu-0");
  place(world, "later", "gpu-1", 60);
  world.create(rule("NoExecute"));
  world.settle();
  EXPECT_TRUE(going(world, "now"));
  EXPECT_FALSE(going(world, "later"));
  world.settle(15s);
  EXPECT_EQ(status_of(world, "r"),
            "True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace. 1 pod evicted since starting the controller.");
  world.settle(1min);
  EXPECT_TRUE(going(world, "later"));
  EXPECT_EQ(status_of(world, "r"), "False Completed: 2 pods evicted since starting the controller.");
}

TEST(DeviceTaints, ARuleThatGoesCancels) {
  World world;
  world.make_node("n1");
  publish(world);
  place(world, "later", "gpu-1", 60);
  world.create(rule("NoExecute"));
  world.settle(1s);
  world.remove<Rule>("r");
  world.settle(5min);
  EXPECT_FALSE(going(world, "later"));
  EXPECT_EQ(world.events_of("later").back(), "DeviceTaintManagerEviction: Cancelling deletion");
}

TEST(DeviceTaints, ARuleWithoutEffectTellsWhatItWouldDo) {
  World world;
  world.make_node("n1");
  publish(world);
  place(world, "a", "gpu-0");
  world.create(rule("None"));
  world.settle(1s);
  EXPECT_FALSE(going(world, "a"));
  EXPECT_EQ(status_of(world, "r"),
            "False NoEffect: 2 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if "
            "the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an "
            "update.");
}

}  // namespace
}  // namespace dray::controllers
