#include "api/policy_v1.h"
#include "controllers/daemon_set.h"
#include "controllers/disruption.h"
#include "controllers/world.h"

namespace dray::controllers {
namespace {

std::shared_ptr<apps::DaemonSet> daemon_set(const std::string& name) {
  auto out = std::make_shared<apps::DaemonSet>();
  out->metadata.name = name;
  out->spec.selector.ensure().match_labels["app"] = name;
  fill_template(out->spec.template_, name);
  return out;
}

/// As the scheduler binds a daemon's pod: to the node that it names.
void run_daemons(World& world) {
  world.settle();
  for (int round = 0; round < 20; ++round) {
    bool moved = false;
    for (const auto& one : world.list<core::Pod>()) {
      if (one->metadata.deletion_timestamp) {
        world.force_remove(*one);
        moved = true;
      } else if (one->spec.node_name.empty()) {
        const auto& terms = one->spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution->node_selector_terms;
        world.bind(*one, terms.at(0).match_fields.at(0).values.at(0));
        world.set_phase(*world.get<core::Pod>(one->name()), "Running");
        moved = true;
      }
    }
    world.settle();
    if (!moved) return;
  }
}

TEST(DaemonSet, OnePodOnEachNodeThatFits) {
  World world;
  for (const char* node : {"n1", "n2", "n3"}) world.make_node(node);
  world.change<core::Node>("n3", [](auto& n) {
    auto& taint = n.spec.taints.emplace_back();
    taint.key = "special";
    taint.effect = "NoSchedule";
  });
  world.change<core::Node>("n2", [](auto& n) { n.spec.unschedulable = true; });  // daemons do not mind
  world.settle();
  world.create(daemon_set("d"));
  run_daemons(world);
  std::vector<std::string> nodes;
  for (const auto& one : world.list<core::Pod>()) nodes.push_back(one->spec.node_name);
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(world.get<apps::DaemonSet>("d")->status.desired_number_scheduled, 2);
  EXPECT_EQ(world.get<apps::DaemonSet>("d")->status.number_available, 2);
  world.make_node("n4");
  world.change<core::Node>("n3", [](auto& n) { n.spec.taints.clear(); });
  world.settle();
  run_daemons(world);
  EXPECT_EQ(world.list<core::Pod>().size(), 4U);
  const store::Revision before = world.store->revision();
  world.settle(1min);
  EXPECT_EQ(world.store->revision(), before);
}

TEST(DaemonSet, RollsOneNodeAtATime) {
  World world;
  for (const char* node : {"n1", "n2", "n3"}) world.make_node(node);
  world.create(daemon_set("d"));
  run_daemons(world);
  world.change<apps::DaemonSet>("d", [](auto& d) { d.spec.template_.spec.containers[0].image = "i:2"; });
  world.settle();
  std::size_t going = 0;
  for (const auto& one : world.list<core::Pod>()) going += one->metadata.deletion_timestamp.has_value();
  EXPECT_EQ(going, 1U);
  run_daemons(world);
  for (const auto& one : world.list<core::Pod>()) EXPECT_EQ(one->spec.containers[0].image, "i:2");
  EXPECT_EQ(world.get<apps::DaemonSet>("d")->status.updated_number_scheduled, 3);
}

std::shared_ptr<apps::StatefulSet> stateful_set(const std::string& name, std::int32_t replicas) {
  auto out = std::make_shared<apps::StatefulSet>();
  out->metadata.name = name;
  out->spec.replicas = replicas;
  out->spec.service_name = "s";
  out->spec.selector.ensure().match_labels["app"] = name;
  fill_template(out->spec.template_, name);
  return out;
}

TEST(StatefulSet, GoesInOrder) {
  World world;
  world.create(stateful_set("s", 3));
  world.settle();
  ASSERT_EQ(world.list<core::Pod>().size(), 1U) << "the second waits for the first";
  const auto first = world.get<core::Pod>("s-0");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->metadata.labels.at("statefulset.kubernetes.io/pod-name"), "s-0");
  EXPECT_EQ(first->metadata.labels.at("apps.kubernetes.io/pod-index"), "0");
  EXPECT_EQ(first->spec.hostname, "s-0");
  EXPECT_EQ(first->spec.subdomain, "s");
  world.run_until_calm();
  EXPECT_EQ(world.list<core::Pod>().size(), 3U);
  EXPECT_EQ(world.get<apps::StatefulSet>("s")->status.ready_replicas, 3);
  world.change<apps::StatefulSet>("s", [](auto& s) { s.spec.replicas = 1; });
  world.settle();
  EXPECT_TRUE(world.get<core::Pod>("s-2")->metadata.deletion_timestamp);
  EXPECT_FALSE(world.get<core::Pod>("s-1")->metadata.deletion_timestamp);
  world.run_until_calm();
  EXPECT_EQ(world.list<core::Pod>().size(), 1U);
}

TEST(StatefulSet, RollsFromTheHighestDown) {
  World world;
  world.create(stateful_set("s", 3));
  world.run_until_calm();
  const std::string old = world.get<apps::StatefulSet>("s")->status.current_revision;
  world.change<apps::StatefulSet>("s", [](auto& s) { s.spec.template_.spec.containers[0].image = "i:2"; });
  world.settle();
  EXPECT_TRUE(world.get<core::Pod>("s-2")->metadata.deletion_timestamp);
  EXPECT_FALSE(world.get<core::Pod>("s-0")->metadata.deletion_timestamp);
  world.run_until_calm();
  for (const auto& one : world.list<core::Pod>()) EXPECT_EQ(one->spec.containers[0].image, "i:2");
  EXPECT_NE(world.get<apps::StatefulSet>("s")->status.current_revision, old);
  EXPECT_EQ(world.list<apps::ControllerRevision>().size(), 2U);
}

TEST(Disruption, CountsWhatMayGo) {
  World world;
  world.create(deployment("web", 4));
  world.run_until_calm();
  const auto budget = [&](const std::string& name, std::optional<IntOrString> least, std::optional<IntOrString> most) {
    auto out = std::make_shared<policy::PodDisruptionBudget>();
    out->metadata.name = name;
    out->spec.selector.ensure().match_labels["app"] = "web";
    out->spec.min_available = least;
    out->spec.max_unavailable = most;
    world.create(out);
    world.settle();
    return world.get<policy::PodDisruptionBudget>(name)->status;
  };
  EXPECT_EQ(budget("three", IntOrString(3), {}).disruptions_allowed, 1);
  const auto half = budget("half", IntOrString("50%"), {});
  EXPECT_EQ(half.disruptions_allowed, 2);
  EXPECT_EQ(half.expected_pods, 4);
  EXPECT_EQ(half.desired_healthy, 2);
  EXPECT_EQ(half.conditions.at(0).reason, "SufficientPods");
  const auto most = budget("most", {}, IntOrString(0));
  EXPECT_EQ(most.disruptions_allowed, 0);
  EXPECT_EQ(most.conditions.at(0).reason, "InsufficientPods");
  // An eviction is remembered for as long as the pod needs to go, and then counts again.
  const std::string name = world.list<core::Pod>()[0]->name();
  world.change<policy::PodDisruptionBudget>("three", [&](auto& b) {
    b.status.disrupted_pods[name] = Time::of(world.executor.clock().wall());
    b.status.disruptions_allowed = 0;
  }, "status");
  world.settle();
  EXPECT_EQ(world.get<policy::PodDisruptionBudget>("three")->status.current_healthy, 3);
  world.settle(3min);
  EXPECT_EQ(world.get<policy::PodDisruptionBudget>("three")->status.current_healthy, 4);
  EXPECT_TRUE(world.get<policy::PodDisruptionBudget>("three")->status.disrupted_pods.empty());
}

}  // namespace
}  // namespace dray::controllers
