#include "client/local_cluster.h"

#include <gtest/gtest.h>

#include "api/core_v1.h"
#include "store/open.h"

namespace dray::client {
namespace {

using namespace std::chrono_literals;

const api::Registry& kinds() {
  static const api::Registry registry = api::Registry::built_in();
  return registry;
}

struct World {
  VirtualExecutor executor{WallTime{std::chrono::seconds(1'800'000'000)}};
  std::unique_ptr<store::Store> store = store::open_ephemeral(executor);
  api::FeatureGates gates;
  store::Resources resources{*store, kinds(), gates, executor.clock(), Rng(1)};
  LocalCluster cluster{executor, resources, Rng(2), "tester"};

  World() {
    auto space = std::make_shared<core::Namespace>();
    space->metadata.name = "default";
    cluster.create(space, {});
  }
  void put(const std::string& name) {
    auto object = std::make_shared<core::ConfigMap>();
    object->metadata.namespace_ = "default";
    object->metadata.name = name;
    cluster.create(object, [](const Result<ObjectPtr>& done) { EXPECT_TRUE(done) << done.error().message; });
  }
  std::vector<std::shared_ptr<const core::Event>> events() {
    std::vector<std::shared_ptr<const core::Event>> out;
    for (const ObjectPtr& object : cluster.informer<core::Event>().list()) out.push_back(as<core::Event>(object));
    return out;
  }
};

TEST(Informer, ShowsTheStateAndThenEachChange) {
  World world;
  world.put("a");
  std::vector<std::string> seen;
  world.cluster.informer<core::ConfigMap>().add_handler({
      [&](const ObjectPtr& object) { seen.push_back("+" + object->name()); },
      [&](const ObjectPtr& old, const ObjectPtr& now) {
        seen.push_back("~" + now->name() + " " + old->metadata.resource_version + ">" + now->metadata.resource_version);
      },
      [&](const ObjectPtr& last) { seen.push_back("-" + last->name()); },
  });
  EXPECT_TRUE(seen.empty());
  world.put("b");
  world.executor.run_ready();
  auto fresh = mutable_copy_as(*world.cluster.get<core::ConfigMap>("default", "a"));
  fresh->data["k"] = "v";
  world.cluster.update(fresh, {});
  world.cluster.remove(core::ConfigMap::kDescriptor, "default", "b", {}, {});
  EXPECT_EQ(world.cluster.get<core::ConfigMap>("default", "b"), nullptr) << "reads are never behind";
  world.executor.run_ready();
  EXPECT_EQ(seen, (std::vector<std::string>{"+a", "+b", "~a 2>4", "-b"}));
}

TEST(Recorder, CountsEqualNotes) {
  World world;
  world.put("a");
  const auto about = world.cluster.get<core::ConfigMap>("default", "a");
  for (int i = 0; i < 3; ++i) {
    world.cluster.record(*about, {"Normal", "Reason", "message", "component", ""});
    world.executor.run_for(10s);
  }
  const auto events = world.events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]->count, 3);
  EXPECT_EQ(events[0]->source.component, "component");
  EXPECT_EQ(events[0]->reporting_component, "component");
  EXPECT_EQ(events[0]->first_timestamp.seconds, 1'800'000'000);
  EXPECT_EQ(events[0]->last_timestamp.seconds, 1'800'000'020);
  EXPECT_EQ(events[0]->name(), "a.18fae27693b40000");
  EXPECT_EQ(events[0]->involved_object.uid, about->metadata.uid);
}

TEST(Recorder, CombinesManyThatDifferInTextAlone) {
  World world;
  world.put("a");
  const auto about = world.cluster.get<core::ConfigMap>("default", "a");
  for (int i = 0; i < 15; ++i) world.cluster.record(*about, {"Normal", "Reason", "text " + std::to_string(i), "component", ""});
  EXPECT_EQ(world.events().size(), 10U);
  std::int32_t combined = 0;
  for (const auto& event : world.events()) {
    if (event->message.starts_with("(combined from similar events): text ")) combined = event->count;
  }
  EXPECT_EQ(combined, 6);
}

TEST(Recorder, StopsAFlood) {
  World world;
  world.put("a");
  const auto about = world.cluster.get<core::ConfigMap>("default", "a");
  for (int i = 0; i < 100; ++i) world.cluster.record(*about, {"Normal", "R" + std::to_string(i), "m", "component", ""});
  EXPECT_EQ(world.events().size(), 25U);
  world.executor.run_for(5min);
  world.cluster.record(*about, {"Normal", "later", "m", "component", ""});
  world.cluster.record(*about, {"Normal", "and later", "m", "component", ""});
  EXPECT_EQ(world.events().size(), 26U);
}

TEST(Recorder, WithAnActionItIsASeries) {
  World world;
  world.put("a");
  const auto about = world.cluster.get<core::ConfigMap>("default", "a");
  for (int i = 0; i < 3; ++i) {
    world.cluster.record(*about, {"Warning", "FailedScheduling", "text " + std::to_string(i), "default-scheduler", "Scheduling"});
    world.executor.run_for(10s);
  }
  const auto events = world.events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]->message, "text 0");
  EXPECT_EQ(events[0]->action, "Scheduling");
  EXPECT_EQ(events[0]->reporting_component, "default-scheduler");
  EXPECT_FALSE(events[0]->event_time.is_zero());
  EXPECT_EQ(events[0]->count, 0);
  EXPECT_EQ(events[0]->series->count, 2) << "stored at the first repeat, then at most every half hour";
}

}  // namespace
}  // namespace dray::client
