// Which class serves an extended resource, and the claim that is made for a pod.
#include "dra/extended_resource.h"

#include "dra/support.h"

namespace dray::dra {
namespace {

using namespace test;

std::shared_ptr<resource::DeviceClass> serving(const std::string& name, const std::string& extended, std::int64_t created) {
  auto out = device_class(name);
  out->spec.extended_resource_name = extended;
  out->metadata.creation_timestamp = Time{created};
  return out;
}

TEST(DeviceClasses, NewestThenSmallestName) {
  DeviceClasses classes;
  const auto winner = [&classes](std::string_view name) {
    const auto found = classes.for_extended_resource(name);
    return found ? found->metadata.name : std::string("none");
  };
  classes.upsert(serving("b", "example.com/gpu", 100));
  classes.upsert(serving("a", "example.com/gpu", 200));
  EXPECT_EQ(winner("example.com/gpu"), "a");
  classes.upsert(serving("b", "example.com/gpu", 200));
  EXPECT_EQ(winner("example.com/gpu"), "a");
  classes.upsert(serving("c", "example.com/gpu", 300));
  EXPECT_EQ(winner("example.com/gpu"), "c");
  EXPECT_EQ(winner("deviceclass.resource.kubernetes.io/b"), "b");
  classes.remove("c");
  classes.remove("a");
  EXPECT_EQ(winner("example.com/gpu"), "b");
  classes.upsert(device_class("b"));
  EXPECT_EQ(winner("example.com/gpu"), "none");
  EXPECT_EQ(winner("deviceclass.resource.kubernetes.io/b"), "b");
}

core::Container container(const std::string& name, std::map<std::string, std::string> requests, bool sidecar = false) {
  core::Container out;
  out.name = name;
  for (const auto& [resource, quantity] : requests) out.resources.requests[resource] = Quantity::must_parse(quantity);
  if (sidecar) out.restart_policy = "Always";
  return out;
}

std::string show(const ExtendedClaim& claim) {
  std::string out;
  for (const auto& request : claim.spec->devices.requests)
    out += request.name + "=" + request.exactly->device_class_name + "*" + std::to_string(request.exactly->count) + " ";
  for (const auto& mapping : claim.mappings) out += mapping.container_name + ">" + mapping.request_name + " ";
  return out;
}

TEST(ExtendedClaim, RequestsAndMappings) {
  DeviceClasses classes;
  classes.upsert(serving("gpu", "example.com/gpu", 1));
  core::PodSpec pod;
  pod.containers = {container("a", {{"cpu", "1"}, {"example.com/gpu", "2"}}), container("b", {{"example.com/gpu", "1"}})};
  EXPECT_EQ(mapped_extended_resources(pod, classes), std::vector<std::string>{"example.com/gpu"});
  auto got = extended_claim(pod, {"example.com/gpu"}, classes);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(show(*got), "container-0-request-1=gpu*2 container-1-request-0=gpu*1 a>container-0-request-1 b>container-1-request-0 ");
  // Plain init containers reuse what runs later; only what exceeds it is asked for, once.
  pod.init_containers = {container("i", {{"example.com/gpu", "2"}}), container("j", {{"example.com/gpu", "5"}})};
  got = extended_claim(pod, {"example.com/gpu"}, classes);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(show(*got),
            "container-1-request-0=gpu*2 container-2-request-1=gpu*2 container-3-request-0=gpu*1 "
            "a>container-2-request-1 b>container-3-request-0 i>container-2-request-1 j>container-2-request-1 "
            "j>container-3-request-0 j>container-1-request-0 ");
}

TEST(ExtendedClaim, DevicePluginsKeepTheirs) {
  core::Node node;
  node.status.allocatable["example.com/gpu"] = Quantity::must_parse("4");
  node.status.allocatable["example.com/nic"] = Quantity::must_parse("0");
  EXPECT_EQ(served_by_devices(node, {"example.com/gpu", "example.com/nic", "example.com/fpga"}),
            (std::vector<std::string>{"example.com/nic", "example.com/fpga"}));
}

}  // namespace
}  // namespace dray::dra
