// What is in use, speculation, and the work that is done: counts, not seconds.
#include "base/random.h"
#include "dra/allocated_state.h"
#include "dra/extended_resource.h"
#include "dra/inventory.h"
#include "dra/support.h"

namespace dray::dra {
namespace {

using namespace test;

/// A fleet of equal nodes with eight devices each.
struct Fleet {
  Inventory inventory;
  AllocatedState state{inventory};
  DeviceClasses classes;
  Allocator allocator{inventory, state, classes};

  explicit Fleet(int nodes) {
    classes.upsert(device_class("gpu", {"device.driver == 'gpu.example.com'"}));
    for (int n = 0; n < nodes; ++n) {
      const std::string name = "node-" + std::to_string(n);
      std::vector<resource::Device> devices;
      for (int i = 0; i < 8; ++i) {
        resource::Device d = device("gpu-" + std::to_string(i));
        d.attributes["model"] = text("h100");
        d.attributes["uuid"] = text(name + "/" + d.name);
        devices.push_back(std::move(d));
      }
      inventory.upsert(slice(name, name, std::move(devices)));
      inventory.upsert(*node(name));
    }
  }
  Prepared pod(std::int64_t count) {
    return allocator.prepare({claim({exactly("r", count, {"device.attributes['gpu.example.com'].model == 'h100'"}, "gpu")})});
  }
};

TEST(Work, EqualDevicesCostOneEvaluationPerSelector) {
  Fleet fleet(5000);
  const Prepared pod = fleet.pod(1);
  for (const NodeId node : fleet.inventory.nodes())
    EXPECT_TRUE(std::holds_alternative<Allocation>(fleet.allocator.allocate(pod, node)));
  EXPECT_EQ(fleet.allocator.work().evaluations, 2U);
  EXPECT_EQ(fleet.allocator.work().views, 5000U);
  EXPECT_EQ(fleet.allocator.work().searches, 0U);
  EXPECT_EQ(fleet.allocator.candidates(pod).size(), 5000U);
}

TEST(Work, AChangeCostsItsNodeOnly) {
  Fleet fleet(200);
  const Prepared pod = fleet.pod(8);
  EXPECT_EQ(fleet.allocator.candidates(pod).size(), 200U);
  const std::uint64_t views = fleet.allocator.work().views;
  resource::Device only = device("gpu-0");
  only.attributes["model"] = text("h100");
  fleet.inventory.upsert(slice("node-7", "node-7", {only}));
  EXPECT_EQ(fleet.allocator.candidates(pod).size(), 199U);
  EXPECT_EQ(fleet.allocator.work().views, views + 1);
  fleet.inventory.remove_slice("node-7");
  fleet.inventory.remove_node("node-8");
  EXPECT_EQ(fleet.allocator.candidates(pod).size(), 198U);
}

TEST(State, ClaimsComeAndGo) {
  Fleet fleet(1);
  const NodeId node = *fleet.inventory.node("node-0");
  const Prepared eight = fleet.pod(8);
  const std::uint64_t empty = fleet.state.digest();
  const auto held = holding("node-0", {"gpu-3"});
  fleet.state.set_claim("uid", &*held->status.allocation);
  fleet.state.set_claim("uid", &*held->status.allocation);  // again: no change
  EXPECT_TRUE(std::holds_alternative<Refusal>(fleet.allocator.allocate(eight, node)));
  fleet.state.set_claim("uid", nullptr);
  EXPECT_TRUE(std::holds_alternative<Allocation>(fleet.allocator.allocate(eight, node)));
  EXPECT_EQ(fleet.state.digest(), empty);
  // Two claims with one device: it is free when both are gone.
  fleet.state.set_claim("a", &*held->status.allocation);
  fleet.state.set_claim("b", &*held->status.allocation);
  fleet.state.set_claim("a", nullptr);
  EXPECT_TRUE(std::holds_alternative<Refusal>(fleet.allocator.allocate(eight, node)));
}

TEST(State, AGangIsPlacedWholeOrNotAtAll) {
  Fleet fleet(4);  // 32 devices
  const Prepared pod = fleet.pod(3);
  const std::uint64_t before = fleet.state.digest();
  const auto place = [&](int members) {
    const auto start = fleet.state.checkpoint();
    for (int i = 0; i < members; ++i) {
      bool placed = false;
      for (const NodeId node : fleet.allocator.candidates(pod)) {
        const Outcome outcome = fleet.allocator.allocate(pod, node);
        if (const auto* found = std::get_if<Allocation>(&outcome)) {
          fleet.state.add(pod, *found);
          placed = true;
          break;
        }
      }
      if (!placed) {
        fleet.state.rollback(start);
        return false;
      }
    }
    fleet.state.commit(start);
    return true;
  };
  EXPECT_FALSE(place(9));  // two members a node
  EXPECT_EQ(fleet.state.digest(), before);
  EXPECT_TRUE(place(8));
  EXPECT_NE(fleet.state.digest(), before);
  EXPECT_TRUE(fleet.allocator.candidates(pod).empty());
}

TEST(State, RollbackRestoresEverything) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    Fleet fleet(3);
    std::vector<std::pair<AllocatedState::Checkpoint, std::uint64_t>> open;
    for (int step = 0; step < 200; ++step) {
      switch (rng.below(5)) {
        case 0:
          open.emplace_back(fleet.state.checkpoint(), fleet.state.digest());
          break;
        case 1:
          if (open.empty()) break;
          fleet.state.rollback(open.back().first);
          EXPECT_EQ(fleet.state.digest(), open.back().second);
          open.pop_back();
          break;
        case 2:
          fleet.state.set_claim("uid-" + std::to_string(rng.below(4)), nullptr);
          break;
        default: {
          auto held = holding("node-" + std::to_string(rng.below(3)), {"gpu-" + std::to_string(rng.below(8))});
          auto& result = held->status.allocation->devices.results[0];
          if (rng.chance(1, 2)) {
            result.share_id = "s";
            if (rng.chance(1, 2)) result.consumed_capacity["memory"] = Quantity::of(static_cast<std::int64_t>(rng.below(9)));
          }
          if (rng.chance(1, 2)) {
            fleet.state.set_claim("uid-" + std::to_string(rng.below(4)), &*held->status.allocation);
          } else {
            fleet.state.add(*held->status.allocation);
          }
        }
      }
    }
  }
}

TEST(Rules, TaintsOfRulesKeepRequestsOff) {
  Fleet fleet(2);
  const Prepared pod = fleet.pod(1);
  auto rule = std::make_shared<resource::DeviceTaintRule>();
  rule->metadata.name = "rule";
  rule->spec.taint.key = "example.com/broken";
  rule->spec.taint.effect = "NoExecute";
  fleet.inventory.upsert(rule);  // selects nothing
  EXPECT_EQ(fleet.allocator.candidates(pod).size(), 2U);
  auto selecting = std::make_shared<resource::DeviceTaintRule>(*rule);
  selecting->spec.device_selector.emplace().pool = "node-0";
  fleet.inventory.upsert(selecting);
  ASSERT_EQ(fleet.allocator.candidates(pod).size(), 1U);
  EXPECT_EQ(fleet.inventory.name_of(fleet.allocator.candidates(pod)[0]), "node-1");
  fleet.inventory.remove_taint_rule("rule");
  EXPECT_EQ(fleet.allocator.candidates(pod).size(), 2U);
}

TEST(Explain, CountsAndNearestMiss) {
  Fleet fleet(1);
  const NodeId node = *fleet.inventory.node("node-0");
  const auto held = holding("node-0", {"gpu-0", "gpu-1"});
  fleet.state.set_claim("uid", &*held->status.allocation);
  const Prepared pod = fleet.pod(7);
  const Explanation why = fleet.allocator.explain(pod, node);
  ASSERT_EQ(why.requests.size(), 1U);
  EXPECT_EQ(why.requests[0].seen, 8);
  EXPECT_EQ(why.requests[0].in_use, 2);
  EXPECT_EQ(why.requests[0].usable, 6);
  EXPECT_EQ(why.requests[0].nearest_miss, "gpu.example.com/node-0/gpu-0: in use");
  EXPECT_EQ(why.summary(), "request r: 6 of 7 wanted devices can be used (2 in use)");
  const Prepared other = fleet.allocator.prepare(
      {claim({exactly("r", 1, {"device.attributes['gpu.example.com'].model == 'a100'"}, "gpu")})});
  EXPECT_EQ(fleet.allocator.explain(other, node).requests[0].request_selector, 6);
}

}  // namespace
}  // namespace dray::dra
