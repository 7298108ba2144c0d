// Objects that a real server accepted keep everything when they are read as an older version and written back.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "api/kind.h"
#include "api/resource_v1.h"
#include "api/resource_v1beta1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

TEST(ResourceConversion, RoundTripsOfRecordedObjects) {
  const Registry registry = Registry::built_in();
  int objects = 0;
  for (const char* file : {"resource-validation", "gates-resource-validation", "gates-scheduling"}) {
    std::ifstream stream(std::string(DRAY_TEST_DATA) + "/conformance/api/" + file + ".jsonl");
    ASSERT_TRUE(stream.is_open()) << file;
    for (std::string line; std::getline(stream, line);) {
      constexpr std::string_view kTime = "<time>";
      for (std::size_t at = 0; (at = line.find(kTime, at)) != std::string::npos;) {
        line.replace(at, kTime.size(), "2026-01-02T03:04:05Z");
      }
      const auto recorded = parse_json(line);
      ASSERT_TRUE(recorded.has_value());
      for (const Value& step : recorded->find("steps")->as_list()) {
        const Value* response = step.find("response");
        const Value* body = response ? response->find("body") : nullptr;
        const Value* version = body ? body->find("apiVersion") : nullptr;
        const Value* name = body ? body->find("kind") : nullptr;
        if (!version || !name || response->find("status")->as_int() != 201) continue;
        const std::string group = version->as_string().substr(0, version->as_string().find('/'));
        const auto kind = registry.find_kind(group, name->as_string());
        if (!kind || kind->stored->api_version() != version->as_string()) continue;
        const auto object = decode_object(*body, *kind->stored);
        ASSERT_TRUE(object.has_value()) << print_json(*body);
        for (const ServedVersion& served : kind->versions) {
          if (!served.from_stored) continue;
          const auto back = served.to_stored(*served.from_stored(**object));
          EXPECT_EQ(encode_json(**object), encode_json(*back)) << served.version;
          ++objects;
        }
      }
    }
  }
  EXPECT_GE(objects, 80);
}

TEST(ResourceConversion, AFlatRequestBecomesExactly) {
  const auto tree = parse_json(
      R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[)"
      R"({"name":"a","deviceClassName":"gpu","count":2,"adminAccess":false},)"
      R"({"name":"b","firstAvailable":[{"name":"s","deviceClassName":"gpu"}]}]}}})");
  const Registry registry = Registry::built_in();
  const auto kind = registry.find("resource.k8s.io", "resourceclaims");
  const ServedVersion* old = kind->version("v1beta1");
  ASSERT_NE(old, nullptr);
  const auto served = decode_object(*tree, *old->type);
  ASSERT_TRUE(served.has_value());
  const auto stored = old->to_stored(**served);
  const auto& requests = static_cast<const resource::ResourceClaim&>(*stored).spec.devices.requests;
  ASSERT_EQ(requests.size(), 2U);
  ASSERT_TRUE(requests[0].exactly);
  EXPECT_EQ(requests[0].exactly->device_class_name, "gpu");
  EXPECT_EQ(requests[0].exactly->count, 2);
  EXPECT_EQ(requests[0].exactly->admin_access, std::optional(false));
  EXPECT_FALSE(requests[1].exactly);
  EXPECT_EQ(requests[1].first_available.size(), 1U);
}

TEST(ResourceConversion, ADeviceOfV1beta1AlwaysHasBasic) {
  resource::ResourceSlice slice;
  slice.spec.devices.emplace_back().name = "gpu-0";
  const Registry registry = Registry::built_in();
  const ServedVersion* old = registry.find("resource.k8s.io", "resourceslices")->version("v1beta1");
  const auto served = old->from_stored(slice);
  const auto& devices = static_cast<const resource_v1beta1::ResourceSlice&>(*served).spec.devices;
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].basic);
}

}  // namespace
}  // namespace dray::api
