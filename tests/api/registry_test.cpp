#include <gtest/gtest.h>

#include <set>

#include "api/apps_v1.h"
#include "api/autoscaling_v1.h"
#include "api/autoscaling_v2.h"
#include "api/core_v1.h"
#include "api/kind.h"
#include "api/resource_v1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

const Registry& built_in() {
  static const Registry registry = Registry::built_in();
  return registry;
}

TEST(Registry, EveryKindIsWhole) {
  std::set<std::string> resources;
  for (const auto& kind : built_in().all()) {
    EXPECT_TRUE(resources.insert(kind->resource()).second) << kind->resource();
    EXPECT_FALSE(kind->versions.empty()) << kind->resource();
    ASSERT_NE(kind->stored, nullptr) << kind->resource();
    EXPECT_FALSE(kind->verbs.empty()) << kind->resource();
    EXPECT_EQ(kind->columns.empty(), kind->hooks.row == nullptr) << kind->resource();
    EXPECT_EQ(kind->selectable_fields.empty(), kind->hooks.field == nullptr) << kind->resource();
    int stored = 0;
    for (const ServedVersion& version : kind->versions) {
      EXPECT_EQ(version.to_stored == nullptr, version.type == kind->stored) << kind->resource() << version.version;
      EXPECT_EQ(version.to_stored == nullptr, version.from_stored == nullptr) << kind->resource();
      if (version.type == kind->stored) ++stored;
    }
    EXPECT_LE(stored, 1) << kind->resource();
  }
  EXPECT_GE(resources.size(), 60u);
}

TEST(Registry, RowsAndFieldsOfEmptyObjects) {
  const Now now{MonoTime{}, WallTime{std::chrono::hours(500'000)}};
  for (const auto& kind : built_in().all()) {
    const auto object = decode_object(Value::map(), *kind->stored);
    ASSERT_TRUE(object.has_value()) << kind->resource();
    if (kind->hooks.set_defaults) kind->hooks.set_defaults(**object);
    if (kind->hooks.row) {
      EXPECT_EQ(kind->hooks.row(**object, now).size(), kind->columns.size()) << kind->resource();
    }
    for (const std::string_view field : kind->selectable_fields) {
      EXPECT_TRUE(kind->hooks.field(**object, field).has_value()) << kind->resource() << " " << field;
    }
    if (kind->hooks.field) {
      EXPECT_FALSE(kind->hooks.field(**object, "spec.noSuchField").has_value()) << kind->resource();
    }
  }
}

TEST(Registry, DefaultsAreStable) {
  for (const auto& kind : built_in().all()) {
    if (!kind->hooks.set_defaults) continue;
    const auto object = decode_object(Value::map(), *kind->stored);
    ASSERT_TRUE(object.has_value());
    kind->hooks.set_defaults(**object);
    const std::string once = encode_json(**object);
    kind->hooks.set_defaults(**object);
    EXPECT_EQ(once, encode_json(**object)) << kind->resource();
  }
}

TEST(Registry, Lookup) {
  const auto pods = built_in().find("", "pods");
  ASSERT_TRUE(pods);
  EXPECT_EQ(pods->name, "Pod");
  EXPECT_TRUE(pods->namespaced);
  EXPECT_TRUE(pods->has_status);
  EXPECT_EQ(pods->short_names, std::vector<std::string>{"po"});
  EXPECT_EQ(built_in().find_kind("apps", "Deployment"), built_in().find("apps", "deployments"));
  EXPECT_EQ(&built_in().of<core::Pod>(), pods.get());
  EXPECT_FALSE(built_in().find("", "nosuchthings"));
  EXPECT_FALSE(built_in().find_kind("apps", "Pod"));
  EXPECT_EQ(built_in().of<apps::Deployment>().resource(), "deployments.apps");
  EXPECT_EQ(built_in().of<resource::ResourceClaim>().group, "resource.k8s.io");
}

TEST(Registry, EventsOfBothGroupsAreTheSameObjects) {
  const auto core_events = built_in().find("", "events");
  const auto events = built_in().find("events.k8s.io", "events");
  ASSERT_TRUE(core_events && events);
  EXPECT_EQ(events->storage(), core_events->storage());
  EXPECT_NE(events->resource(), core_events->resource());
  EXPECT_EQ(built_in().of<core::Event>().group, "");
}

TEST(Registry, AddAndRemove) {
  Registry registry = Registry::built_in();
  const std::size_t before = registry.all().size();
  auto kind = std::make_shared<Kind>();
  kind->group = "example.com";
  kind->name = "Widget";
  kind->plural = "widgets";
  kind->stored = &core::ConfigMap::kDescriptor;
  registry.add(kind);
  EXPECT_EQ(registry.find("example.com", "widgets"), kind);
  EXPECT_EQ(registry.all().size(), before + 1);
  registry.remove("example.com", "widgets");
  EXPECT_FALSE(registry.find("example.com", "widgets"));
  EXPECT_EQ(registry.all().size(), before);
}

TEST(Registry, AutoscalerOfTheFirstVersion) {
  const auto kind = built_in().find("autoscaling", "horizontalpodautoscalers");
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->stored, &autoscaling_v2::HorizontalPodAutoscaler::kDescriptor);
  const ServedVersion* v1 = kind->version("v1");
  ASSERT_TRUE(v1 && v1->to_stored);
  autoscaling::HorizontalPodAutoscaler old;
  old.metadata.name = "web";
  old.spec.scale_target_ref.name = "web";
  old.spec.max_replicas = 3;
  old.spec.target_cpu_utilization_percentage = 70;
  const auto stored = v1->to_stored(old);
  const auto& fresh = static_cast<const autoscaling_v2::HorizontalPodAutoscaler&>(*stored);
  ASSERT_EQ(fresh.spec.metrics.size(), 1u);
  EXPECT_EQ(fresh.spec.metrics[0].resource->name, "cpu");
  EXPECT_EQ(fresh.spec.metrics[0].resource->target.average_utilization, 70);
  const auto back = v1->from_stored(*stored);
  EXPECT_EQ(encode_json(*back), encode_json(old));
}

}  // namespace
}  // namespace dray::api
