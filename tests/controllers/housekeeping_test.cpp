#include "api/coordination_v1.h"
#include "api/scheduling_v1.h"
#include "controllers/namespaces.h"
#include "controllers/node_lifecycle.h"
#include "controllers/world.h"

namespace dray::controllers {
namespace {

std::shared_ptr<core::ConfigMap> config_map(const std::string& name, const Object* owner = nullptr, bool blocks = false,
                                            const std::string& space = "default") {
  auto out = std::make_shared<core::ConfigMap>();
  out->metadata.name = name;
  out->metadata.namespace_ = space;
  if (!owner) return out;
  auto& reference = out->metadata.owner_references.emplace_back();
  reference.api_version = owner->api_version();
  reference.kind = owner->kind();
  reference.name = owner->name();
  reference.uid = owner->metadata.uid;
  reference.block_owner_deletion = blocks;
  return out;
}

std::vector<std::string> names(World& world, const std::string& space = "default") {
  std::vector<std::string> out;
  for (const auto& one : world.list<core::ConfigMap>(space)) out.push_back(one->name());
  return out;
}

TEST(GarbageCollector, Policies) {
  struct Case {
    const char* policy;
    std::vector<std::string> left;
  };
  const Case cases[] = {{"Background", {}}, {"Foreground", {}}, {"Orphan", {"dependent", "grandchild"}}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.policy);
    World world;
    const auto owner = world.create(config_map("owner"));
    const auto dependent = world.create(config_map("dependent", owner.get(), true));
    world.create(config_map("grandchild", dependent.get(), true));
    world.settle();
    world.remove<core::ConfigMap>("owner", c.policy);
    world.settle(1s);
    EXPECT_EQ(names(world), c.left);
    if (!c.left.empty()) {
      EXPECT_TRUE(world.get<core::ConfigMap>("dependent")->metadata.owner_references.empty());
    }
  }
}

TEST(GarbageCollector, ForegroundWaitsForWhatBlocks) {
  World world;
  const auto owner = world.create(config_map("owner"));
  auto held = config_map("held", owner.get(), true);
  held->metadata.finalizers = {"example.com/x"};
  world.create(held);
  world.settle();
  world.remove<core::ConfigMap>("owner", "Foreground");
  world.settle(1s);
  EXPECT_EQ(names(world), (std::vector<std::string>{"held", "owner"}));
  world.change<core::ConfigMap>("held", [](auto& map) { map.metadata.finalizers.clear(); });
  world.settle(1s);
  EXPECT_TRUE(names(world).empty());
}

TEST(GarbageCollector, AnOwnerThatNeverWasOrOneThatIsStillThere) {
  World world;
  const auto owner = world.create(config_map("owner"));
  const auto other = world.create(config_map("other"));
  auto gone = mutable_copy_as(*owner);
  gone->metadata.uid = "11111111-2222-3333-4444-555555555555";
  world.create(config_map("lost", gone.get()));
  auto two = config_map("two", owner.get());
  two->metadata.owner_references.push_back(config_map("x", other.get())->metadata.owner_references[0]);
  world.create(two);
  world.settle(1s);
  EXPECT_EQ(names(world), (std::vector<std::string>{"other", "owner", "two"}));
  world.remove<core::ConfigMap>("other");
  world.settle(1s);
  ASSERT_NE(world.get<core::ConfigMap>("two"), nullptr);
  EXPECT_EQ(world.get<core::ConfigMap>("two")->metadata.owner_references.size(), 1U);
}

TEST(GarbageCollector, ClusterScopedOwners) {
  World world;
  world.make_node("n1");
  auto slice = std::make_shared<resource::ResourceSlice>();
  slice->metadata.name = "s";
  slice->spec.driver = "gpu.example.com";
  slice->spec.node_name = "n1";
  slice->spec.pool.name = "n1";
  slice->spec.pool.resource_slice_count = 1;
  slice->metadata.owner_references = config_map("x", world.get<core::Node>("n1").get())->metadata.owner_references;
  world.create(slice);
  world.settle();
  world.remove<core::Node>("n1");
  world.settle(1s);
  EXPECT_EQ(world.get<resource::ResourceSlice>("s"), nullptr);
}

TEST(Namespaces, AreEmptiedFirst) {
  World world;
  auto space = std::make_shared<core::Namespace>();
  space->metadata.name = "n";
  world.create(space);
  world.create(config_map("a", nullptr, false, "n"));
  auto held = config_map("held", nullptr, false, "n");
  held->metadata.finalizers = {"example.com/x"};
  world.create(held);
  world.settle();
  world.remove<core::Namespace>("n");
  world.settle(1s);
  EXPECT_EQ(names(world, "n"), std::vector<std::string>{"held"});
  std::string conditions;
  for (const auto& one : world.get<core::Namespace>("n")->status.conditions) {
    if (one.status == "True") conditions += one.type + ": " + one.message + "\n";
  }
  EXPECT_EQ(conditions,
            "NamespaceContentRemaining: Some resources are remaining: configmaps. has 1 resource instances\n"
            "NamespaceFinalizersRemaining: Some content in the namespace has finalizers remaining: example.com/x in 1 "
            "resource instances\n");
  world.change<core::ConfigMap>("held", [](auto& map) { map.metadata.finalizers.clear(); }, "", "n");
  world.settle(1s);
  EXPECT_EQ(world.get<core::Namespace>("n"), nullptr);
}

TEST(DefaultObjects, AreThereAndComeBack) {
  World world(Options{.only = {}, .root_ca = "PEM"});
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    EXPECT_NE(world.get<core::Namespace>(name), nullptr) << name;
    EXPECT_NE(world.get<core::ServiceAccount>("default", name), nullptr) << name;
    ASSERT_NE(world.get<core::ConfigMap>("kube-root-ca.crt", name), nullptr) << name;
  }
  EXPECT_EQ(world.get<scheduling::PriorityClass>("system-node-critical")->value, 2'000'001'000);
  world.remove<core::ServiceAccount>("default");
  world.change<core::ConfigMap>("kube-root-ca.crt", [](auto& map) { map.data["ca.crt"] = "other"; });
  world.settle();
  EXPECT_NE(world.get<core::ServiceAccount>("default"), nullptr);
  EXPECT_EQ(world.get<core::ConfigMap>("kube-root-ca.crt")->data.at("ca.crt"), "PEM");
}

std::string taints(const core::Node& node) {
  std::string out;
  for (const auto& one : node.spec.taints) out += (out.empty() ? "" : " ") + one.key + ":" + one.effect;
  return out;
}

void set_ready(World& world, const std::string& node, const std::string& status) {
  world.change<core::Node>(node, [&](auto& n) { n.status.conditions[0].status = status; }, "status");
  world.settle();
}

TEST(NodeLifecycle, TaintsByCondition) {
  World world;
  world.make_node("n1");
  EXPECT_EQ(taints(*world.get<core::Node>("n1")), "");
  set_ready(world, "n1", "False");
  EXPECT_EQ(taints(*world.get<core::Node>("n1")),
            "node.kubernetes.io/not-ready:NoSchedule node.kubernetes.io/not-ready:NoExecute");
  set_ready(world, "n1", "Unknown");
  EXPECT_EQ(taints(*world.get<core::Node>("n1")),
            "node.kubernetes.io/unreachable:NoSchedule node.kubernetes.io/unreachable:NoExecute");
  set_ready(world, "n1", "True");
  world.change<core::Node>("n1", [](auto& n) { n.spec.unschedulable = true; });
  world.settle();
  EXPECT_EQ(taints(*world.get<core::Node>("n1")), "node.kubernetes.io/unschedulable:NoSchedule");
}

TEST(NodeLifecycle, EvictsWhatDoesNotTolerate) {
  World world;
  world.make_node("n1");
  const auto place = [&](const std::string& name, std::optional<std::int64_t> seconds, bool tolerates) {
    auto object = pod(name);
    object->spec.node_name = "n1";
    if (tolerates) {
      auto& one = object->spec.tolerations.emplace_back();
      one.key = "k";
      one.operator_ = "Exists";
      one.effect = "NoExecute";
      one.toleration_seconds = seconds;
    }
    world.create(object);
  };
  place("never", {}, false);
  place("while", 60, true);
  place("forever", {}, true);
  world.settle();
  world.change<core::Node>("n1", [](auto& n) {
    auto& taint = n.spec.taints.emplace_back();
    taint.key = "k";
    taint.effect = "NoExecute";
  });
  world.settle(1s);
  EXPECT_TRUE(world.get<core::Pod>("never")->metadata.deletion_timestamp);
  EXPECT_EQ(store::pod_condition(*world.get<core::Pod>("never"), "DisruptionTarget")->reason, "DeletionByTaintManager");
  EXPECT_EQ(world.events_of("never").at(0), "TaintManagerEviction: Marking for deletion Pod default/never");
  EXPECT_FALSE(world.get<core::Pod>("while")->metadata.deletion_timestamp);
  world.settle(1min);
  EXPECT_TRUE(world.get<core::Pod>("while")->metadata.deletion_timestamp);
  EXPECT_FALSE(world.get<core::Pod>("forever")->metadata.deletion_timestamp);
}

TEST(NodeLifecycle, ASilentKubeletIsTakenForDead) {
  World world;
  world.make_node("n1");
  world.make_node("by-hand");
  auto lease = std::make_shared<coordination::Lease>();
  lease->metadata.name = "n1";
  lease->metadata.namespace_ = "kube-node-lease";
  world.create(lease);
  for (int i = 0; i < 10; ++i) {
    world.settle(10s);
    world.change<coordination::Lease>("n1", [&](auto& l) { l.spec.renew_time = MicroTime::of(world.executor.clock().wall()); }, "",
                                      "kube-node-lease");
  }
  EXPECT_EQ(world.get<core::Node>("n1")->status.conditions[0].status, "True");
  world.settle(1min);
  EXPECT_EQ(world.get<core::Node>("n1")->status.conditions[0].status, "Unknown");
  EXPECT_EQ(world.get<core::Node>("n1")->status.conditions[0].message, "Kubelet stopped posting node status.");
  EXPECT_NE(taints(*world.get<core::Node>("n1")).find("unreachable:NoExecute"), std::string::npos);
  EXPECT_EQ(world.get<core::Node>("by-hand")->status.conditions[0].status, "True");
}

TEST(PodGc, RemovesPodsOfNodesThatAreGone) {
  World world;
  world.make_node("n1");
  auto here = pod("here");
  here->spec.node_name = "n1";
  world.create(here);
  auto nowhere = pod("nowhere");
  nowhere->spec.node_name = "never";
  world.create(nowhere);
  world.settle(30s);
  EXPECT_NE(world.get<core::Pod>("nowhere"), nullptr);
  world.settle(11s);
  EXPECT_EQ(world.get<core::Pod>("nowhere"), nullptr);
  world.remove<core::Node>("n1");
  world.settle(1min);
  EXPECT_EQ(world.get<core::Pod>("here"), nullptr);
}

TEST(EventTtl, RemovesOldEvents) {
  World world;
  const auto about = world.create(config_map("a"));
  world.cluster.record(*about, {"Normal", "R", "m", "c", ""});
  world.settle();
  EXPECT_EQ(world.events_of("a").size(), 1U);
  world.settle(30min);
  world.cluster.record(*about, {"Normal", "R", "m", "c", ""});
  world.settle(40min);
  EXPECT_EQ(world.events_of("a").size(), 1U);
  world.settle(30min);
  EXPECT_TRUE(world.events_of("a").empty());
}

}  // namespace
}  // namespace dray::controllers
