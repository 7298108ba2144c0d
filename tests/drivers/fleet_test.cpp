#include "drivers/fleet.h"

#include <gtest/gtest.h>

#include "drivers/environment.h"
#include "drivers/profile.h"
#include "machinery/codec.h"

namespace dray::drivers {
namespace {

TEST(Fleet, TheSampleHasBothMakes) {
  const auto fleet = parse_fleet(sample_fleet());
  ASSERT_TRUE(fleet);
  int nodes = 0, devices = 0;
  for (const NodeGroup& group : fleet->groups) {
    nodes += group.count;
    for (const DeviceGroup& d : group.devices) devices += group.count * d.count;
  }
  EXPECT_EQ(nodes, 7);
  EXPECT_EQ(devices, 3 * 9 + 4 * 8);
}

TEST(Fleet, SlicesAreTheSameEachTimeAndDifferBetweenNodes) {
  const auto fleet = parse_fleet("groups: [{name: node, devices: [{profile: nvidia-h100}]}]");
  ASSERT_TRUE(fleet);
  const auto once = slices_of(fleet->groups[0], "node-0"), again = slices_of(fleet->groups[0], "node-0");
  ASSERT_EQ(once.size(), 1U);
  EXPECT_TRUE(equal(once[0], again[0]));
  ASSERT_EQ(once[0].spec.devices.size(), 8U);
  const auto& devices = once[0].spec.devices;
  EXPECT_NE(devices[0].attributes.at("uuid").string, devices[1].attributes.at("uuid").string);
  EXPECT_NE(devices[0].attributes.at("uuid").string, slices_of(fleet->groups[0], "node-1")[0].spec.devices[0].attributes.at("uuid").string);
  EXPECT_EQ(devices[3].attributes.at("resource.kubernetes.io/numaNode").int_, 0);
  EXPECT_EQ(devices[4].attributes.at("resource.kubernetes.io/numaNode").int_, 1);
}

TEST(Fleet, DevicesOfTheUsersOwn) {
  const auto fleet = parse_fleet(R"(
groups:
- name: f
  devices:
  - driver: fpga.example.org
    prefix: card
    count: 2
    attributes: {model: X1, generation: 3, fast: true, firmware: {version: 2.1.0}}
    capacity: {memory: 16Gi})");
  ASSERT_TRUE(fleet) << fleet.error().message;
  const auto slices = slices_of(fleet->groups[0], "f-0");
  ASSERT_EQ(slices.size(), 1U);
  const resource::Device& card = slices[0].spec.devices.at(1);
  EXPECT_EQ(card.name, "card-1");
  EXPECT_EQ(card.attributes.at("model").string, "X1");
  EXPECT_EQ(card.attributes.at("generation").int_, 3);
  EXPECT_EQ(card.attributes.at("fast").bool_, true);
  EXPECT_EQ(card.attributes.at("firmware").version, "2.1.0");
  EXPECT_EQ(card.capacity.at("memory").value, Quantity::must_parse("16Gi"));
}

TEST(Fleet, BadFilesNameFieldValueAndWhatIsAllowed) {
  struct Case { const char* text; const char* field; const char* message; };
  const Case cases[] = {
      {"groups: [{name: a, count: -1}]", "groups[0].count", "Invalid value: -1: must be an integer from 0 to 100000"},
      {"groups: [{count: 1}]", "groups[0]", "Invalid value: object: must have a name"},
      {"groups: [{name: a, cpus: 4}]", "groups[0].cpus",
       "Invalid value: 4: unknown field; known are name, count, cpu, memory, pods, capacity, labels, taints, devices"},
      {"groups: [{name: a, memory: lots}]", "groups[0].memory", "Invalid value: \"lots\": must be a quantity such as 16 or 64Gi"},
      {"groups: [{name: a, devices: [{profile: nvidia-b300}]}]", "groups[0].devices[0].profile",
       "Invalid value: \"nvidia-b300\": must be one of example-gpu, nvidia-a100, nvidia-h100, nvidia-h200"},
      {"groups: [{name: a}, {name: a}]", "groups", "Invalid value: \"a\": two groups have this name"},
      {"groups: 3", "groups", "Invalid value: 3: must be a list"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto fleet = parse_fleet(c.text);
    ASSERT_FALSE(fleet);
    ASSERT_EQ(fleet.error().causes.size(), 1U);
    EXPECT_EQ(fleet.error().causes[0].field, c.field);
    EXPECT_EQ(fleet.error().causes[0].message, c.message);
  }
}

TEST(Environment, AsTheDriversInjectIt) {
  resource::ResourceClaim claim;
  claim.metadata.uid = "c1";
  auto& devices = claim.status.allocation.emplace().devices;
  for (const char* request : {"ts", "sp"}) {
    auto& result = devices.results.emplace_back();
    result.request = request;
    result.driver = kExampleDriver;
    result.pool = "n";
    result.device = request == std::string_view("ts") ? "gpu-0" : "gpu-1";
  }
  auto& config = devices.config.emplace_back();
  config.source = "FromClaim";
  config.requests = {"sp"};
  auto& opaque = config.device_configuration.opaque.emplace();
  opaque.driver = kExampleDriver;
  opaque.parameters.value =
      *parse_json(R"({"sharing":{"strategy":"SpacePartitioning","spacePartitioningConfig":{"partitionCount":10}}})");
  const FindDevice none = [](auto, auto, auto) { return nullptr; };
  Environment all, one;
  add_environment(claim, "", none, all);
  add_environment(claim, "sp", none, one);
  EXPECT_EQ(all.at("GPU_DEVICE_0"), "gpu-0");
  EXPECT_EQ(all.at("GPU_DEVICE_0_TIMESLICE_INTERVAL"), "Default");
  EXPECT_EQ(all.at("GPU_DEVICE_1_PARTITION_COUNT"), "10");
  EXPECT_EQ(one.count("GPU_DEVICE_0"), 0U);
  EXPECT_EQ(one.at("GPU_DEVICE_1_SHARING_STRATEGY"), "SpacePartitioning");
}

}  // namespace
}  // namespace dray::drivers
