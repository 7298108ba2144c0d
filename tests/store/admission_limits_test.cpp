/// LimitRanges, quotas, default classes, runtime classes, finalizers.

#include <functional>

#include <fmt/format.h>

#include "api/node_v1.h"
#include "api/resource_v1.h"
#include "api/storage_v1.h"
#include "fixture.h"
#include "machinery/time.h"
#include "store/admission.h"
#include "store/quota.h"

namespace dray::store {
namespace {

using List = quota::List;

Quantity q(const char* text) { return Quantity::must_parse(text); }

struct Admitted : World {
  Admitted() {
    add_default_admission(resources, Rng(7));
    auto account = std::make_shared<core::ServiceAccount>();
    account->metadata.namespace_ = "default";
    account->metadata.name = "default";
    EXPECT_EQ(create(account), "");
  }
  template <class T>
  std::string create(std::shared_ptr<T> object, WriteOptions options = {}) {
    const auto written = resources.create(kinds().of<T>(), std::move(object), options);
    return written ? "" : written.error().message;
  }
  /// A quota whose status is as the controller leaves it at first.
  void add_quota(const char* name, List hard, std::vector<std::string> scopes = {}) {
    auto one = std::make_shared<core::ResourceQuota>();
    one->metadata.namespace_ = "default";
    one->metadata.name = name;
    one->spec.hard = hard;
    one->spec.scopes = std::move(scopes);
    ASSERT_EQ(create(one), "");
    const auto done = resources.modify(kinds().of<core::ResourceQuota>(), "default", name, [&](Object& object) -> Result<> {
      auto& quota = static_cast<core::ResourceQuota&>(object);
      quota.status.hard = hard;
      for (const auto& [key, amount] : hard) quota.status.used[key] = Quantity::of(0);
      return {};
    }, {.subresource = "status"});
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string used(const char* name = "q") {
    std::string out;
    for (const auto& [key, amount] : get<core::ResourceQuota>(name)->status.used) out += fmt::format("{}={} ", key, amount.str());
    return out;
  }
};

std::shared_ptr<core::Pod> pod(std::string name, List requests = {}, List limits = {}) {
  auto out = std::make_shared<core::Pod>();
  out->metadata.namespace_ = "default";
  out->metadata.name = std::move(name);
  core::Container& container = out->spec.containers.emplace_back();
  container.name = "c";
  container.image = "busybox";
  container.resources.requests = std::move(requests);
  container.resources.limits = std::move(limits);
  return out;
}

TEST(LimitRanger, FillsInAndSaysSo) {
  Admitted world;
  auto range = std::make_shared<core::LimitRange>();
  range->metadata.namespace_ = "default";
  range->metadata.name = "l";
  core::LimitRangeItem& item = range->spec.limits.emplace_back();
  item.type = "Container";
  item.default_ = {{"cpu", q("1")}};
  item.default_request = {{"cpu", q("100m")}, {"memory", q("1Mi")}};
  ASSERT_EQ(world.create(range), "");
  ASSERT_EQ(world.create(pod("p")), "");
  const auto stored = world.get<core::Pod>("p");
  EXPECT_EQ(stored->spec.containers[0].resources.requests.at("cpu").str(), "100m");
  EXPECT_EQ(stored->spec.containers[0].resources.limits.at("cpu").str(), "1");
  EXPECT_EQ(stored->metadata.annotations.at("kubernetes.io/limit-ranger"),
            "LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c");
}

TEST(LimitRanger, Bounds) {
  struct Case { const char* name; List requests, limits; const char* expect; };
  const Case cases[] = {
      {"within", {{"cpu", q("500m")}}, {{"cpu", q("1")}}, ""},
      {"too small", {{"cpu", q("50m")}}, {{"cpu", q("100m")}},
       "pods \"p\" is forbidden: minimum cpu usage per Container is 100m, but request is 50m"},
      {"too large", {{"cpu", q("1")}}, {{"cpu", q("3")}},
       "pods \"p\" is forbidden: [maximum cpu usage per Container is 2, but limit is 3, cpu max limit to request ratio per Container "
       "is 2, but provided ratio is 3.000000]"},
      {"unlimited", {{"cpu", q("1")}}, {},
       "pods \"p\" is forbidden: [maximum cpu usage per Container is 2.  No limit is specified, cpu max limit to request ratio per "
       "Container is 2, but no limit is specified or limit is 0]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admitted world;
    ASSERT_EQ(world.create(pod("before")), "");
    auto range = std::make_shared<core::LimitRange>();
    range->metadata.namespace_ = "default";
    range->metadata.name = "l";
    core::LimitRangeItem& item = range->spec.limits.emplace_back();
    item.type = "Container";
    item.min = {{"cpu", q("100m")}};
    item.max = {{"cpu", q("2")}};
    item.max_limit_request_ratio = {{"cpu", q("2")}};
    // Nothing is filled in: what the range's own defaults would add is not what is tested.
    ASSERT_TRUE(world.store->create(kinds().of<core::LimitRange>(), range));
    EXPECT_EQ(world.create(pod("p", c.requests, c.limits)), c.expect);
  }
}

TEST(Quota, ChargesUntilItIsFull) {
  Admitted world;
  world.add_quota("q", {{"requests.cpu", q("3")}, {"pods", q("5")}});
  ASSERT_EQ(world.create(pod("p1", {{"cpu", q("2")}})), "");
  EXPECT_EQ(world.used(), "pods=1 requests.cpu=2 ");
  EXPECT_EQ(world.create(pod("p2", {{"cpu", q("2")}})),
            "pods \"p2\" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=2, limited: requests.cpu=3");
  EXPECT_EQ(world.create(pod("p3")), "pods \"p3\" is forbidden: failed quota: q: must specify requests.cpu for: c");
  EXPECT_EQ(world.create(pod("p1", {{"cpu", q("1")}})), "pods \"p1\" already exists");
  EXPECT_EQ(world.create(pod("p4", {{"cpu", q("1")}}), {.dry_run = true}), "");
  EXPECT_EQ(world.used(), "pods=1 requests.cpu=2 ");
  ASSERT_EQ(world.create(pod("p4", {{"cpu", q("1")}})), "");
  EXPECT_EQ(world.used(), "pods=2 requests.cpu=3 ");
}

TEST(Quota, Scopes) {
  Admitted world;
  world.add_quota("q", {{"pods", q("1")}}, {"BestEffort"});
  ASSERT_EQ(world.create(pod("p1", {{"cpu", q("2")}})), "");
  EXPECT_EQ(world.used(), "pods=0 ");
  ASSERT_EQ(world.create(pod("p2")), "");
  EXPECT_EQ(world.create(pod("p3")), "pods \"p3\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1");
}

TEST(Quota, UnknownStatus) {
  Admitted world;
  world.add_quota("q", {{"pods", q("1")}});
  ASSERT_TRUE(world.resources.modify(kinds().of<core::ResourceQuota>(), "default", "q", [](Object& object) -> Result<> {
    static_cast<core::ResourceQuota&>(object).status.used.clear();
    return {};
  }, {.subresource = "status"}));
  EXPECT_EQ(world.create(pod("p")), "pods \"p\" is forbidden: status unknown for quota: q, resources: pods");
}

std::shared_ptr<resource::ResourceClaim> claim(std::string name, std::function<void(resource::DeviceRequest&)> change) {
  auto out = std::make_shared<resource::ResourceClaim>();
  out->metadata.namespace_ = "default";
  out->metadata.name = std::move(name);
  resource::DeviceRequest& request = out->spec.devices.requests.emplace_back();
  request.name = "r";
  change(request);
  return out;
}

TEST(Quota, Devices) {
  struct Case { const char* name; std::function<void(resource::DeviceRequest&)> change; const char* expect; };
  const auto exactly = [](const char* mode, std::int64_t count) {
    return [=](resource::DeviceRequest& request) {
      auto& one = request.exactly.emplace();
      one.device_class_name = "gpu";
      one.allocation_mode = mode;
      one.count = count;
    };
  };
  const auto either = [](resource::DeviceRequest& request) {
    for (const std::int64_t count : {2, 5, 1}) {
      auto& one = request.first_available.emplace_back();
      one.name = fmt::format("s{}", count);
      one.device_class_name = "gpu";
      one.allocation_mode = "ExactCount";
      one.count = count;
    }
  };
  const Case cases[] = {
      {"exactly", exactly("ExactCount", 3), "gpu.deviceclass.resource.k8s.io/devices=3 requests.example.com/gpu=3 "},
      {"all: as many as can be", exactly("All", 0), "gpu.deviceclass.resource.k8s.io/devices=32 requests.example.com/gpu=32 "},
      {"the largest alternative", either, "gpu.deviceclass.resource.k8s.io/devices=5 requests.example.com/gpu=5 "},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admitted world;
    auto gpus = std::make_shared<resource::DeviceClass>();
    gpus->metadata.name = "gpu";
    gpus->spec.extended_resource_name = "example.com/gpu";
    ASSERT_EQ(world.create(gpus), "");
    world.add_quota("q", {{"gpu.deviceclass.resource.k8s.io/devices", q("40")}, {"requests.example.com/gpu", q("40")}});
    ASSERT_EQ(world.create(claim("c", c.change)), "");
    EXPECT_EQ(world.used(), c.expect);
  }
}

TEST(Quota, CountsAnyKind) {
  Admitted world;
  world.add_quota("q", {{"configmaps", q("1")}, {"count/configmaps", q("5")}});
  ASSERT_EQ(world.create(config_map("default", "a")), "");
  EXPECT_EQ(world.used(), "configmaps=1 count/configmaps=1 ");
  EXPECT_EQ(world.create(config_map("default", "b")),
            "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1");
}

TEST(Quota, RecountIsWhatAdmissionCharged) {
  Admitted world;
  world.add_quota("q", {{"requests.cpu", q("30")}, {"pods", q("50")}, {"count/pods", q("50")}});
  for (int i = 0; i < 5; ++i) ASSERT_EQ(world.create(pod(fmt::format("p{}", i), {{"cpu", q("500m")}})), "");
  const auto stored = world.get<core::ResourceQuota>("q");
  const quota::Source source{kinds(), world.gates,
                             [&](const StructDescriptor& kind, const std::string& space) {
                               return world.store->list(kinds().of(kind), space).items;
                             },
                             Time::of(world.executor.clock().now().wall)};
  EXPECT_EQ(quota::recount(source, *stored), stored->status.used);
  EXPECT_EQ(world.used(), "count/pods=5 pods=5 requests.cpu=2500m ");
}

TEST(RuntimeClass, Table) {
  struct Case { const char* name; std::function<void(core::PodSpec&)> change; const char* expect; };
  const Case cases[] = {
      {"overhead and place", [](auto&) {}, "overhead=100m pool=x tolerations=3"},
      {"unknown", [](auto& s) { s.runtime_class_name = "none"; }, "pods \"p\" is forbidden: pod rejected: RuntimeClass \"none\" not found"},
      {"conflict", [](auto& s) { s.node_selector["pool"] = "y"; },
       "pods \"p\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[pool] = x; pod.spec.nodeSelector[pool] = y"},
      {"another overhead", [](auto& s) { s.overhead = {{"cpu", q("1")}}; },
       "pods \"p\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"},
      {"overhead without class", [](auto& s) { s.runtime_class_name.reset(); s.overhead = {{"cpu", q("1")}}; },
       "pods \"p\" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admitted world;
    auto one = std::make_shared<node::RuntimeClass>();
    one->metadata.name = "vm";
    one->handler = "vm";
    one->overhead.emplace().pod_fixed = {{"cpu", q("100m")}};
    one->scheduling.emplace().node_selector["pool"] = "x";
    core::Toleration& toleration = one->scheduling->tolerations.emplace_back();
    toleration.key = "vm";
    toleration.operator_ = "Exists";
    ASSERT_EQ(world.create(one), "");
    auto fresh = pod("p");
    fresh->spec.runtime_class_name = "vm";
    c.change(fresh->spec);
    std::string got = world.create(fresh);
    if (got.empty()) {
      const auto stored = world.get<core::Pod>("p");
      got = fmt::format("overhead={} pool={} tolerations={}", stored->spec.overhead.at("cpu").str(),
                        stored->spec.node_selector.at("pool"), stored->spec.tolerations.size());
    }
    EXPECT_EQ(got, c.expect);
  }
}

TEST(StorageClass, NewestDefaultAndProtection) {
  Admitted world;
  for (const char* name : {"old", "new"}) {
    auto one = std::make_shared<storage::StorageClass>();
    one->metadata.name = name;
    one->provisioner = "example.com/p";
    one->metadata.annotations["storageclass.kubernetes.io/is-default-class"] = "true";
    ASSERT_EQ(world.create(one), "");
    world.executor.run_for(std::chrono::seconds(2));
  }
  auto volume = std::make_shared<core::PersistentVolumeClaim>();
  volume->metadata.namespace_ = "default";
  volume->metadata.name = "v";
  volume->spec.access_modes = {"ReadWriteOnce"};
  volume->spec.resources.requests["storage"] = q("1Gi");
  ASSERT_EQ(world.create(volume), "");
  const auto stored = world.get<core::PersistentVolumeClaim>("v");
  EXPECT_EQ(stored->spec.storage_class_name, "new");
  EXPECT_EQ(stored->metadata.finalizers, std::vector<std::string>{"kubernetes.io/pvc-protection"});
}

}  // namespace
}  // namespace dray::store
