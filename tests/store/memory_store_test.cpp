#include "store/memory_store.h"

#include <map>
#include <set>

#include "store/fixture.h"

namespace dray::store {
namespace {

struct Bare {
  VirtualExecutor executor;
  std::unique_ptr<Store> store;
  explicit Bare(std::size_t history = 1000) : store(open_ephemeral(executor, {history})) {}

  void put(const std::string& name, const std::string& value) {
    if (store->get(config_maps(), "a", name)) {
      EXPECT_TRUE(store->update(config_maps(), config_map("a", name, value), 0));
    } else {
      EXPECT_TRUE(store->create(config_maps(), config_map("a", name, value)));
    }
  }
};

std::string show(const EventPtr& event) {
  static constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED"};
  return std::string(kNames[static_cast<int>(event->type)]) + " " + event->object->name() + "@" +
         event->object->metadata.resource_version;
}

TEST(MemoryStore, CountsRevisionsOverAllKinds) {
  Bare bare;
  bare.put("x", "1");
  auto space = std::make_shared<core::Namespace>();
  space->metadata.name = "n";
  ASSERT_TRUE(bare.store->create(kinds().of<core::Namespace>(), space));
  bare.put("x", "2");
  EXPECT_EQ(bare.store->revision(), 3U);
  EXPECT_EQ(bare.store->get(config_maps(), "a", "x")->metadata.resource_version, "3");
  EXPECT_EQ(bare.store->count(config_maps()), 1U);
}

TEST(MemoryStore, RefusesWithKubernetesTexts) {
  Bare bare;
  bare.put("x", "1");
  const auto again = bare.store->create(config_maps(), config_map("a", "x"));
  EXPECT_EQ(again.error().message, "configmaps \"x\" already exists");
  EXPECT_EQ(again.error().code, Code::kAlreadyExists);
  const auto absent = bare.store->update(config_maps(), config_map("a", "y"), 0);
  EXPECT_EQ(absent.error().message, "configmaps \"y\" not found");
  const auto stale = bare.store->update(config_maps(), config_map("a", "x"), 7);
  EXPECT_EQ(stale.error().message,
            "Operation cannot be fulfilled on configmaps \"x\": the object has been modified; please apply your "
            "changes to the latest version and try again");
  EXPECT_EQ(bare.store->remove(config_maps(), "a", "x", 7).error().code, Code::kConflict);
  EXPECT_EQ(bare.store->revision(), 1U);
}

TEST(MemoryStore, ListsInPages) {
  Bare bare;
  for (const char* space : {"b", "a", "a-b"}) {
    for (const char* name : {"2", "1", "3"}) {
      ASSERT_TRUE(bare.store->create(config_maps(), config_map(space, name)));
    }
  }
  EXPECT_EQ(bare.store->list(config_maps()).items.size(), 9U);
  EXPECT_EQ(bare.store->list(config_maps(), "a").items.size(), 3U);
  std::vector<std::string> seen;
  std::string after;
  for (;;) {
    const Listing page = bare.store->list(config_maps(), "", after, 2);
    for (const ObjectPtr& object : page.items) seen.push_back(object->namespace_() + "/" + object->name());
    if (page.items.size() < 2) break;
    after = seen.back();
  }
  EXPECT_EQ(seen.size(), 9U);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(MemoryStore, WatchResumesFromAnyRetainedRevision) {
  for (const Revision from : {0, 1, 2, 3, 4}) {
    Bare bare;
    bare.put("x", "1");
    bare.put("y", "1");
    bare.put("x", "2");
    ASSERT_TRUE(bare.store->remove(config_maps(), "a", "x"));
    std::vector<std::string> seen;
    const auto watch = bare.store->watch(config_maps(), from, [&](const EventPtr& e) { seen.push_back(show(e)); });
    ASSERT_TRUE(watch);
    EXPECT_TRUE(seen.empty()) << "delivered by posted tasks";
    bare.put("z", "1");
    bare.executor.run_ready();
    const std::vector<std::string> all = {"ADDED x@1", "ADDED y@2", "MODIFIED x@3", "DELETED x@4", "ADDED z@5"};
    EXPECT_EQ(seen, std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(from), all.end()));
  }
}

TEST(MemoryStore, ForgottenHistoryIsExpired) {
  Bare bare(3);
  for (int i = 0; i < 5; ++i) bare.put("x", std::to_string(i));
  const auto nobody = [](const EventPtr&) {};
  EXPECT_EQ(bare.store->watch(config_maps(), 1, nobody).error().code, Code::kExpired);
  EXPECT_EQ(bare.store->watch(config_maps(), 1, nobody).error().message, "too old resource version: 1 (2)");
  EXPECT_TRUE(bare.store->watch(config_maps(), 2, nobody));
}

TEST(MemoryStore, WritesOfACallbackAreSeenInOrderByAll) {
  Bare bare;
  std::vector<std::string> first, second;
  const auto a = bare.store->watch(config_maps(), 0, [&](const EventPtr& e) {
    first.push_back(show(e));
    if (e->object->name() == "x") bare.put("y", "1");
  });
  const auto b = bare.store->watch(config_maps(), 0, [&](const EventPtr& e) { second.push_back(show(e)); });
  bare.put("x", "1");
  bare.executor.run_ready();
  EXPECT_EQ(first, (std::vector<std::string>{"ADDED x@1", "ADDED y@2"}));
  EXPECT_EQ(second, first);
}

TEST(MemoryStore, AnEndedWatchIsNeverCalled) {
  Bare bare;
  int calls = 0;
  auto watch = bare.store->watch(config_maps(), 0, [&](const EventPtr&) { ++calls; });
  bare.put("x", "1");
  watch->reset();
  bare.executor.run_ready();
  EXPECT_EQ(calls, 0);
  auto outlives = bare.store->watch(config_maps(), 0, [&](const EventPtr&) { ++calls; });
  bare.store.reset();
  bare.executor.run_ready();
  EXPECT_EQ(calls, 0);
}

/// Replaying a watch from any point over the list of that point gives the list of the end.
TEST(MemoryStore, ListPlusWatchIsTheState) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Bare bare;
    Rng rng(seed);
    std::map<std::string, std::string> replica;
    std::unique_ptr<Watch> watch;
    for (int step = 0; step < 200; ++step) {
      const std::string name = std::to_string(rng.below(8));
      if (rng.chance(1, 3)) {
        (void)bare.store->remove(config_maps(), "a", name);
      } else {
        bare.put(name, std::to_string(step));
      }
      if (rng.chance(1, 4)) bare.executor.run_ready();
      if (step != 60) continue;
      const Listing listing = bare.store->list(config_maps());
      for (const ObjectPtr& object : listing.items) replica[object->name()] = value_of(object);
      watch = std::move(*bare.store->watch(config_maps(), listing.revision, [&](const EventPtr& e) {
        if (e->type == EventType::kDeleted) {
          replica.erase(e->object->name());
        } else {
          replica[e->object->name()] = value_of(e->object);
        }
      }));
    }
    bare.executor.run_ready();
    std::map<std::string, std::string> state;
    for (const ObjectPtr& object : bare.store->list(config_maps()).items) state[object->name()] = value_of(object);
    EXPECT_EQ(replica, state) << "seed " << seed;
  }
}

TEST(MemoryStore, IsDurableAtOnce) {
  Bare bare;
  bare.put("x", "1");
  bool ran = false;
  bare.store->when_durable(bare.store->revision(), [&] { ran = true; });
  EXPECT_TRUE(ran);
}

}  // namespace
}  // namespace dray::store
