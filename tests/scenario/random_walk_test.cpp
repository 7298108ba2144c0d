// Pods, claims, classes, slices, nodes and restarts at random. After every step no device is in two
// claims and no node is overbooked; at rest, nothing waits that a fresh process would place.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "machinery/quantity.h"
#include "scenario/server.h"
#include "scenario/world.h"

namespace dray::scenario {
namespace {

class Walk {
 public:
  explicit Walk(std::uint64_t seed) : world_("", seed), rng_(seed) {
    apply("{apiVersion: v1, kind: Namespace, metadata: {name: w}}");
    world_.executor().run_for(std::chrono::seconds(1));
    apply("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}], extendedResourceName: example.com/gpu}}");
    apply("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: w}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}");
    apply("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: two, namespace: w}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}}}");
    for (int i = 0; i < 3; ++i) add_node();
  }

  void step() {
    switch (rng_.below(12)) {
      case 0: add_node(); break;
      case 1: remove_node(); break;
      case 2: change_slice(); break;
      case 3:
      case 4:
      case 5: remove_pod(); break;
      case 6: world_.restart(); break;
      default: add_pod(); break;
    }
    world_.executor().run_for(std::chrono::milliseconds(rng_.below(3000)));
    check();
  }

  /// Names of the pods that wait once everything is quiet.
  std::set<std::string> rest() {
    world_.executor().run_for(std::chrono::seconds(60));
    check();
    std::set<std::string> waiting;
    for (const auto& object : pods()) {
      if (static_cast<const core::Pod&>(*object).spec.node_name.empty()) waiting.insert(object->metadata.name);
    }
    return waiting;
  }
  void restart() { world_.restart(); }

 private:
  void apply(const std::string& text) {
    const auto docs = parse_yaml(text);
    ASSERT_TRUE(docs) << text;
    const auto served = server().find(text_at(docs->front(), {"apiVersion"}), text_at(docs->front(), {"kind"}));
    ASSERT_TRUE(served) << text;
    const auto result = server().create(served, docs->front(), "w");
    EXPECT_TRUE(result) << text << "\n" << (result ? "" : result.error().message);
  }

  void add_node() {
    const std::string name = "n" + std::to_string(next_++);
    nodes_.push_back(name);
    apply("{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name + "}}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '8'}, conditions: [{type: Ready, status: 'True', lastHeartbeatTime: '2030-01-01T00:00:00Z'}]}}");
    publish(name);
  }

  void publish(const std::string& node) {
    std::string devices;
    const auto count = 1 + rng_.below(4);
    for (std::uint64_t i = 0; i < count; ++i) devices += (i == 0 ? "{name: gpu-" : ", {name: gpu-") + std::to_string(i) + "}";
    apply("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-" + node + "}, spec: {driver: gpu.example.com, nodeName: " + node + ", pool: {name: " + node + ", generation: 1, resourceSliceCount: 1}, devices: [" + devices + "]}}");
  }

  std::string pick(std::vector<std::string>& from) {
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(rng_.below(from.size()));
    const std::string name = *at;
    from.erase(at);
    return name;
  }

  void remove_node() {
    if (nodes_.size() < 2) return;
    const std::string name = pick(nodes_);
    (void)server().remove(server().find("ResourceSlice"), "", "s-" + name);
    (void)server().remove(server().find("Node"), "", name);
  }

  void change_slice() {
    if (nodes_.empty()) return;
    const std::string& name = nodes_[rng_.below(nodes_.size())];
    (void)server().remove(server().find("ResourceSlice"), "", "s-" + name);
    if (rng_.chance(1, 2)) world_.executor().run_for(std::chrono::milliseconds(100));
    publish(name);
  }

  void add_pod() {
    const std::string name = "p" + std::to_string(next_++);
    names_.push_back(name);
    std::string container = "{name: c, image: x, resources: {requests: {cpu: '" + std::to_string(1 + rng_.below(3)) + "'}}}";
    std::string more;
    const auto kind = rng_.below(4);
    if (kind == 1 || kind == 2) {
      container = "{name: c, image: x, resources: {claims: [{name: g}]}}";
      more = std::string(", resourceClaims: [{name: g, resourceClaimTemplateName: ") + (kind == 1 ? "one" : "two") + "}]";
    } else if (kind == 3) {
      container = "{name: c, image: x, resources: {limits: {example.com/gpu: '1'}, requests: {example.com/gpu: '1'}}}";
    }
    apply("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: w}, spec: {containers: [" + container + "]" + more + "}}");
  }

  void remove_pod() {
    if (names_.empty()) return;
    (void)server().remove(server().find("Pod"), "w", pick(names_), 0);
  }

  std::vector<ObjectPtr> pods() { return world_.cluster().informer<core::Pod>().list("w"); }

  void check() {
    std::map<std::string, std::string> holders;
    for (const auto& object : world_.cluster().informer<resource::ResourceClaim>().list("w")) {
      const auto& claim = static_cast<const resource::ResourceClaim&>(*object);
      if (!claim.status.allocation) continue;
      for (const auto& result : claim.status.allocation->devices.results) {
        const std::string device = result.driver + "/" + result.pool + "/" + result.device;
        const auto [at, fresh] = holders.try_emplace(device, claim.metadata.name);
        EXPECT_TRUE(fresh) << device << " is in " << at->second << " and in " << claim.metadata.name;
      }
    }
    std::map<std::string, std::int64_t> cpu;
    for (const auto& object : pods()) {
      const auto& pod = static_cast<const core::Pod&>(*object);
      if (pod.spec.node_name.empty()) continue;
      const auto& requests = pod.spec.containers.front().resources.requests;
      const auto at = requests.find("cpu");
      cpu[pod.spec.node_name] += at == requests.end() ? 0 : at->second.milli_value();
    }
    for (const auto& [node, used] : cpu) EXPECT_LE(used, 4000) << node;
  }

  World world_;
  /// Of the process that runs now.
  Server server() { return Server(world_.resources()); }

  Rng rng_;
  int next_ = 0;
  std::vector<std::string> nodes_, names_;
};

TEST(RandomWalk, ALiveSchedulerDecidesAsAFreshOne) {
  const char* wanted = std::getenv("DRAY_WALKS");
  const int walks = wanted == nullptr ? 5 : std::atoi(wanted);
  for (int seed = 1; seed <= walks; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk walk(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < 60; ++i) walk.step();
    const auto live = walk.rest();
    walk.restart();
    EXPECT_EQ(walk.rest(), live);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace dray::scenario
