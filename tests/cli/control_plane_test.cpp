#include "cli/control_plane.h"

#include <gtest/gtest.h>

#include <set>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "base/random.h"
#include "drivers/fleet.h"
#include "machinery/codec.h"
#include "machinery/value.h"
#include "store/open.h"

namespace dray::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kManifests = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nvidia-gpu}
spec:
  extendedResourceName: nvidia.com/gpu
  selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: example, namespace: default}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: bridge, namespace: default}
spec:
  replicas: 12
  selector: {matchLabels: {app: bridge}}
  template:
    metadata: {labels: {app: bridge}}
    spec: {containers: [{name: main, image: x, resources: {limits: {nvidia.com/gpu: 2}}}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: claims, namespace: default}
spec:
  replicas: 12
  selector: {matchLabels: {app: claims}}
  template:
    metadata: {labels: {app: claims}}
    spec:
      containers: [{name: main, image: x, resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: example}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: batch, namespace: default}
spec:
  completions: 6
  parallelism: 2
  template:
    metadata: {annotations: {sim.dray.dev/run-time: 20s}}
    spec: {restartPolicy: Never, containers: [{name: main, image: x}]}
)";

/// A control plane with the sample fleet, in virtual time.
class World {
 public:
  explicit World(std::uint64_t seed)
      : executor_(WallTime(std::chrono::hours(24 * 365 * 50))), store_(store::open_ephemeral(executor_)) {
    Parts parts;
    parts.fleet = *drivers::parse_fleet(drivers::sample_fleet());
    plane_.emplace(executor_, *store_, registry_, gates_, Rng(seed), std::move(parts));
    plane_->start();
    executor_.run_for(2s);
  }

  void apply(std::string_view manifests) {
    const auto documents = parse_yaml(manifests);
    ASSERT_TRUE(documents);
    for (const Value& document : *documents) {
      const std::string& version = document.find("apiVersion")->as_string();
      const auto slash = version.find('/');
      const auto kind = registry_.find_kind(slash == std::string::npos ? "" : version.substr(0, slash),
                                            document.find("kind")->as_string());
      ASSERT_TRUE(kind);
      auto object = decode_object(document, *kind->stored);
      ASSERT_TRUE(object) << object.error().message;
      const auto written = plane_->resources().create(*kind, *object);
      ASSERT_TRUE(written) << written.error().message;
    }
  }

  void run_for(Duration span) { executor_.run_for(span); }
  template <class T>
  std::vector<std::shared_ptr<const T>> all() {
    std::vector<std::shared_ptr<const T>> typed;
    for (const ObjectPtr& object : store_->list(registry_.of<T>()).items) typed.push_back(as<T>(object));
    return typed;
  }
  template <class T>
  void remove(const std::string& name) {
    EXPECT_TRUE(plane_->resources().remove(registry_.of<T>(), "default", name));
  }

  /// Of every object in the store.
  std::size_t digest() {
    std::string text = std::to_string(store_->revision());
    for (const auto& kind : registry_.all()) {
      for (const ObjectPtr& object : store_->list(*kind).items) text += encode_json(*object);
    }
    return std::hash<std::string>()(text);
  }

  int running(std::string_view app) {
    int count = 0;
    for (const auto& pod : all<core::Pod>()) {
      const auto label = pod->metadata.labels.find("app");
      count += label != pod->metadata.labels.end() && label->second == app && pod->status.phase == "Running";
    }
    return count;
  }

 private:
  VirtualExecutor executor_;
  const api::Registry registry_ = api::Registry::built_in();
  const api::FeatureGates gates_;
  std::unique_ptr<store::Store> store_;
  std::optional<ControlPlane> plane_;
};

/// A day in the life: everything is created, some of it goes, the rest is replaced.
void live(World& world) {
  world.apply(kManifests);
  world.run_for(1min);
  EXPECT_EQ(world.running("bridge"), 12);
  EXPECT_EQ(world.running("claims"), 12);
  for (const auto& pod : world.all<core::Pod>()) {
    if (pod->metadata.labels.count("app") && pod->metadata.name.back() % 3 == 0) world.remove<core::Pod>(pod->metadata.name);
  }
  world.remove<apps::Deployment>("claims");
  world.run_for(5min);
}

TEST(ControlPlane, PlacesPodsWithDevicesAndCleansUp) {
  World world(1);
  live(world);
  EXPECT_EQ(world.running("bridge"), 12);
  EXPECT_EQ(world.running("claims"), 0);
  std::set<std::string> used;
  int results = 0;
  for (const auto& claim : world.all<resource::ResourceClaim>()) {
    ASSERT_TRUE(claim->status.allocation) << claim->metadata.name;
    for (const auto& result : claim->status.allocation->devices.results) {
      used.insert(result.driver + "/" + result.pool + "/" + result.device);
      ++results;
    }
  }
  EXPECT_EQ(results, 24) << "12 pods with 2 devices each; the claims of the deleted Deployment are gone";
  EXPECT_EQ(used.size(), 24U) << "a device is in two claims";
  int succeeded = 0;
  for (const auto& pod : world.all<core::Pod>()) succeeded += pod->status.phase == "Succeeded";
  EXPECT_EQ(succeeded, 6) << "the Job's pods";
}

TEST(ControlPlane, OneSeedGivesOneHistory) {
  World once(7), again(7), other(8);
  live(once);
  live(again);
  live(other);
  EXPECT_EQ(once.digest(), again.digest());
  EXPECT_NE(once.digest(), other.digest()) << "uids come from the seed";
}

}  // namespace
}  // namespace dray::cli
