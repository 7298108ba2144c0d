#include "controllers/deployment_plan.h"
#include "controllers/int_or_percent.h"
#include "controllers/owners.h"
#include "controllers/world.h"

namespace dray::controllers {
namespace {

std::string condition(const apps::Deployment& deployment, std::string_view type) {
  for (const auto& one : deployment.status.conditions) {
    if (one.type == type) return one.status + " " + one.reason + ": " + one.message;
  }
  return "";
}

TEST(IntOrPercent, Rounds) {
  EXPECT_EQ(scaled_value(IntOrString("25%"), 10, true), 3);
  EXPECT_EQ(scaled_value(IntOrString("25%"), 10, false), 2);
  EXPECT_EQ(scaled_value(IntOrString("100%"), 7, true), 7);
  EXPECT_EQ(scaled_value(IntOrString(4), 10, true), 4);
  EXPECT_EQ(scaled_value(IntOrString("x%"), 10, true), 0);
}

TEST(Deployment, RollsOutAndSaysSo) {
  World world;
  world.create(deployment("web", 3));
  world.settle();
  const auto sets = world.list<apps::ReplicaSet>();
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0]->name().substr(0, 4), "web-");
  EXPECT_EQ(sets[0]->metadata.labels.at("pod-template-hash"), sets[0]->name().substr(4));
  EXPECT_EQ(sets[0]->metadata.annotations.at("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(sets[0]->metadata.annotations.at("deployment.kubernetes.io/desired-replicas"), "3");
  EXPECT_EQ(sets[0]->metadata.annotations.at("deployment.kubernetes.io/max-replicas"), "4");
  EXPECT_EQ(world.list<core::Pod>().size(), 3U);
  world.run_until_calm();
  const auto done = world.get<apps::Deployment>("web");
  EXPECT_EQ(done->status.available_replicas, 3);
  EXPECT_EQ(done->status.updated_replicas, 3);
  EXPECT_EQ(done->metadata.annotations.at("deployment.kubernetes.io/revision"), "1");
  EXPECT_EQ(condition(*done, "Available"), "True MinimumReplicasAvailable: Deployment has minimum availability.");
  EXPECT_EQ(condition(*done, "Progressing"),
            "True NewReplicaSetAvailable: ReplicaSet \"" + sets[0]->name() + "\" has successfully progressed.");
  EXPECT_EQ(world.events_of("web"),
            std::vector<std::string>{"ScalingReplicaSet: Scaled up replica set " + sets[0]->name() + " from 0 to 3"});
  EXPECT_EQ(world.events_of(sets[0]->name()).size(), 3U);
}

TEST(Deployment, SettlesAndThenNothingMoves) {
  World world;
  world.create(deployment("web", 3));
  world.run_until_calm();
  const store::Revision before = world.store->revision();
  world.settle(5min);
  EXPECT_EQ(world.store->revision(), before);
}

TEST(Deployment, ARollingUpdateKeepsItsPromises) {
  World world;
  world.create(deployment("web", 10));
  world.run_until_calm();
  world.change<apps::Deployment>("web", [](auto& d) { d.spec.template_.spec.containers[0].image = "i:2"; });
  world.settle();
  std::size_t least = 10, most = 0;
  for (int round = 0; round < 100; ++round) {
    const bool moved = world.run_pods();
    std::size_t active = 0, ready = 0;
    for (const auto& one : world.list<core::Pod>()) {
      if (!one->metadata.deletion_timestamp) ++active;
      if (!one->metadata.deletion_timestamp && store::is_pod_ready(*one)) ++ready;
    }
    least = std::min(least, ready);
    most = std::max(most, active);
    if (!moved) break;
  }
  EXPECT_GE(least, 8U);   // 25% of 10 unavailable, rounded down
  EXPECT_LE(most, 13U);   // 25% surge, rounded up
  const auto sets = world.list<apps::ReplicaSet>();
  ASSERT_EQ(sets.size(), 2U);
  for (const auto& one : world.list<core::Pod>()) EXPECT_EQ(one->spec.containers[0].image, "i:2");
  EXPECT_EQ(world.get<apps::Deployment>("web")->metadata.annotations.at("deployment.kubernetes.io/revision"), "2");
  // Back again: the old set becomes the third revision.
  world.change<apps::Deployment>("web", [](auto& d) { d.spec.template_.spec.containers[0].image = "i:1"; });
  world.run_until_calm();
  EXPECT_EQ(world.list<apps::ReplicaSet>().size(), 2U);
  EXPECT_EQ(world.get<apps::Deployment>("web")->metadata.annotations.at("deployment.kubernetes.io/revision"), "3");
}

TEST(Deployment, Scales) {
  World world;
  world.create(deployment("web", 2));
  world.run_until_calm();
  world.change<apps::Deployment>("web", [](auto& d) { d.spec.replicas = 5; });
  world.run_until_calm();
  EXPECT_EQ(world.list<core::Pod>().size(), 5U);
  world.change<apps::Deployment>("web", [](auto& d) { d.spec.replicas = 1; });
  world.run_until_calm();
  EXPECT_EQ(world.list<core::Pod>().size(), 1U);
}

TEST(Deployment, RecreateWaitsForTheLastOldPod) {
  World world;
  auto object = deployment("web", 2);
  object->spec.strategy.type = "Recreate";
  world.create(object);
  world.run_until_calm();
  world.change<apps::Deployment>("web", [](auto& d) { d.spec.template_.spec.containers[0].image = "i:2"; });
  world.settle();
  for (const auto& one : world.list<core::Pod>()) {
    EXPECT_TRUE(one->metadata.deletion_timestamp) << one->name();
    EXPECT_EQ(one->spec.containers[0].image, "i:1");
  }
  world.run_until_calm();
  ASSERT_EQ(world.list<core::Pod>().size(), 2U);
  EXPECT_EQ(world.list<core::Pod>()[0]->spec.containers[0].image, "i:2");
}

TEST(Deployment, ReportsLackOfProgress) {
  World world;
  auto object = deployment("web", 1);
  object->spec.progress_deadline_seconds = 60;
  world.create(object);
  world.settle(30s);
  const std::string set = world.list<apps::ReplicaSet>()[0]->name();
  EXPECT_EQ(condition(*world.get<apps::Deployment>("web"), "Progressing").substr(0, 5), "True ");
  world.settle(40s);
  EXPECT_EQ(condition(*world.get<apps::Deployment>("web"), "Progressing"),
            "False ProgressDeadlineExceeded: ReplicaSet \"" + set + "\" has timed out progressing.");
}

TEST(Deployment, KeepsSoManyRevisions) {
  World world;
  auto object = deployment("web", 1);
  object->spec.revision_history_limit = 2;
  world.create(object);
  for (int i = 1; i <= 6; ++i) {
    world.change<apps::Deployment>("web", [i](auto& d) { d.spec.template_.spec.containers[0].image = "i:" + std::to_string(i); });
    world.run_until_calm();
    world.settle(1s);
  }
  EXPECT_EQ(world.list<apps::ReplicaSet>().size(), 3U);
}

TEST(Deployment, DeletedInTheBackgroundTakesAllWithIt) {
  World world;
  world.create(deployment("web", 3));
  world.run_until_calm();
  world.remove<apps::Deployment>("web");
  world.run_until_calm();
  EXPECT_TRUE(world.list<apps::ReplicaSet>().empty());
  EXPECT_TRUE(world.list<core::Pod>().empty());
}

TEST(ReplicaSet, ReplacesAndAdopts) {
  World world;
  auto orphan = pod("orphan");
  orphan->metadata.labels["app"] = "a";
  world.create(orphan);
  auto set = std::make_shared<apps::ReplicaSet>();
  set->metadata.name = "a";
  set->spec.replicas = 3;
  set->spec.selector.ensure().match_labels["app"] = "a";
  fill_template(set->spec.template_, "a");
  world.create(set);
  world.run_until_calm();
  ASSERT_EQ(world.list<core::Pod>().size(), 3U);
  EXPECT_NE(controller_of(*world.get<core::Pod>("orphan")), nullptr);
  world.force_remove(*world.get<core::Pod>("orphan"));
  world.run_until_calm();
  EXPECT_EQ(world.list<core::Pod>().size(), 3U);
  // A pod that does not match any more is let go and replaced.
  const std::string stray = world.list<core::Pod>()[0]->name();
  world.change<core::Pod>(stray, [](auto& p) { p.metadata.labels["app"] = "b"; });
  world.run_until_calm();
  EXPECT_EQ(controller_of(*world.get<core::Pod>(stray)), nullptr);
  EXPECT_EQ(world.list<core::Pod>().size(), 4U);
  EXPECT_EQ(world.get<apps::ReplicaSet>("a")->status.ready_replicas, 3);
}

TEST(ReplicaSet, SaysWhyItCannotMakePods) {
  World world;
  bool refuse = true;
  world.resources.add_admission([&](store::AdmissionRequest& request) -> Result<> {
    if (refuse && request.operation == store::Operation::kCreate && request.kind.plural == "pods") {
      return fail(Code::kForbidden, "exceeded quota");
    }
    return {};
  });
  world.create(deployment("web", 1));
  world.settle(1s);
  const auto set = world.list<apps::ReplicaSet>()[0];
  ASSERT_EQ(set->status.conditions.size(), 1U);
  EXPECT_EQ(set->status.conditions[0].reason, "FailedCreate");
  EXPECT_EQ(world.events_of(set->name()).at(0), "FailedCreate: Error creating: exceeded quota");
  EXPECT_EQ(condition(*world.get<apps::Deployment>("web"), "ReplicaFailure"), "True FailedCreate: exceeded quota");
  refuse = false;
  world.settle(1min);
  EXPECT_EQ(world.list<core::Pod>().size(), 1U);
  EXPECT_TRUE(world.get<apps::ReplicaSet>(set->name())->status.conditions.empty());
}

}  // namespace
}  // namespace dray::controllers
