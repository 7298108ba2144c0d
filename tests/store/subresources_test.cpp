#include "store/subresources.h"

#include "api/policy_v1.h"
#include "store/fixture.h"
#include "store/pod_conditions.h"

namespace dray::store {
namespace {

constexpr Time kNow{1'800'000'000};

struct PodWorld : World {
  const api::Kind& pods = kinds().of<core::Pod>();

  void create_pod(const std::string& name, const std::string& phase = "") {
    auto pod = std::make_shared<core::Pod>();
    pod->metadata.namespace_ = "default";
    pod->metadata.name = name;
    pod->metadata.labels["app"] = "a";
    core::Container& container = pod->spec.containers.emplace_back();
    container.name = "c";
    container.image = "i:1";
    EXPECT_TRUE(resources.create(pods, pod));
    if (phase.empty()) return;
    EXPECT_TRUE(resources.modify(pods, "default", name, [&](Object& object) -> Result<> {
      auto& fresh = static_cast<core::Pod&>(object);
      fresh.status.phase = phase;
      set_pod_condition(fresh, {"Ready", phase == "Running" ? "True" : "False", "", ""}, kNow);
      return {};
    }, {.subresource = "status"}));
  }
  Result<Written> bind(const std::string& pod, const std::string& node) {
    core::Binding binding;
    binding.metadata.namespace_ = "default";
    binding.metadata.name = pod;
    binding.metadata.annotations["why"] = "fits";
    binding.target.kind = "Node";
    binding.target.name = node;
    return bind_pod(resources, binding, kNow);
  }
  void budget(std::int32_t allowed) {
    const api::Kind& kind = kinds().of<policy::PodDisruptionBudget>();
    auto budget = std::make_shared<policy::PodDisruptionBudget>();
    budget->metadata.namespace_ = "default";
    budget->metadata.name = "b";
    budget->spec.selector.ensure().match_labels["app"] = "a";
    budget->spec.min_available = IntOrString(1);
    EXPECT_TRUE(resources.create(kind, budget));
    EXPECT_TRUE(resources.modify(kind, "default", "b", [&](Object& object) -> Result<> {
      auto& fresh = static_cast<policy::PodDisruptionBudget&>(object);
      fresh.status.observed_generation = fresh.metadata.generation;
      fresh.status.disruptions_allowed = allowed;
      fresh.status.current_healthy = fresh.status.desired_healthy = 1;
      return {};
    }, {.subresource = "status"}));
  }
};

TEST(Binding, AssignsOnce) {
  PodWorld world;
  world.create_pod("p");
  const auto bound = world.bind("p", "n");
  ASSERT_TRUE(bound) << bound.error().message;
  const auto pod = world.get<core::Pod>("p");
  EXPECT_EQ(pod->spec.node_name, "n");
  EXPECT_EQ(pod->metadata.annotations.at("why"), "fits");
  EXPECT_EQ(pod_condition(*pod, "PodScheduled")->status, "True");
  EXPECT_EQ(world.bind("p", "m").error().message,
            "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n\"");
  EXPECT_EQ(world.bind("absent", "n").error().message, "pods \"absent\" not found");
  world.create_pod("q");
  EXPECT_EQ(world.bind("q", "").error().message, "target.name: Required value");
}

TEST(Eviction, TakesFromTheBudget) {
  PodWorld world;
  world.create_pod("p", "Running");
  world.create_pod("q", "Running");
  world.budget(1);
  const auto evicted = evict_pod(world.resources, "default", "p", {}, kNow);
  ASSERT_TRUE(evicted) << evicted.error().message;
  const auto budget = world.get<policy::PodDisruptionBudget>("b");
  EXPECT_EQ(budget->status.disruptions_allowed, 0);
  EXPECT_TRUE(budget->status.disrupted_pods.contains("p"));
  const auto refused = evict_pod(world.resources, "default", "q", {}, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kTooManyRequests);
  EXPECT_EQ(refused.error().message, "Cannot evict pod as it would violate the pod's disruption budget.");
  EXPECT_EQ(refused.error().causes.at(0).message, "The disruption budget b needs 1 healthy pods and has 1 currently");
  EXPECT_NE(world.get<core::Pod>("q"), nullptr);
}

TEST(Eviction, PendingPodsNeedNoBudget) {
  PodWorld world;
  world.create_pod("p");
  world.budget(0);
  ASSERT_TRUE(evict_pod(world.resources, "default", "p", {}, kNow));
  EXPECT_EQ(world.get<core::Pod>("p"), nullptr);
}

}  // namespace
}  // namespace dray::store
