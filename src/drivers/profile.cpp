#include "drivers/profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/resource_v1.h"
#include "base/random.h"

namespace dray::drivers {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr Pair kExampleAttributes[] = {{"model", "LATEST-GPU-MODEL"}, {"driverVersion", "version:1.0.0"}};
constexpr Pair kExampleCapacity[] = {{"memory", "80Gi"}};

constexpr Pair kA100Attributes[] = {
    {"type", "gpu"}, {"productName", "NVIDIA A100-SXM4-80GB"}, {"brand", "Nvidia"}, {"architecture", "Ampere"},
    {"cudaComputeCapability", "version:8.0.0"}, {"driverVersion", "version:580.95.5"},
    {"cudaDriverVersion", "version:13.0.0"}};
constexpr Pair kH100Attributes[] = {
    {"type", "gpu"}, {"productName", "NVIDIA H100 80GB HBM3"}, {"brand", "Nvidia"}, {"architecture", "Hopper"},
    {"cudaComputeCapability", "version:9.0.0"}, {"driverVersion", "version:580.95.5"},
    {"cudaDriverVersion", "version:13.0.0"}};
constexpr Pair kH200Attributes[] = {
    {"type", "gpu"}, {"productName", "NVIDIA H200"}, {"brand", "Nvidia"}, {"architecture", "Hopper"},
    {"cudaComputeCapability", "version:9.0.0"}, {"driverVersion", "version:580.95.5"},
    {"cudaDriverVersion", "version:13.0.0"}};
constexpr Pair kMemory80[] = {{"memory", "81559Mi"}};
constexpr Pair kMemory141[] = {{"memory", "143771Mi"}};

constexpr Profile kProfiles[] = {
    {"example-gpu", kExampleDriver, 9, kExampleAttributes, kExampleCapacity},
    {"nvidia-a100", kNvidiaDriver, 8, kA100Attributes, kMemory80},
    {"nvidia-h100", kNvidiaDriver, 8, kH100Attributes, kMemory80},
    {"nvidia-h200", kNvidiaDriver, 8, kH200Attributes, kMemory141},
};

resource::DeviceAttribute attribute(std::string_view text) {
  resource::DeviceAttribute value;
  if (text.starts_with("version:")) {
    value.version = text.substr(8);
  } else {
    value.string = text;
  }
  return value;
}

resource::DeviceAttribute integer(std::int64_t number) {
  resource::DeviceAttribute value;
  value.int_ = number;
  return value;
}

/// Half of the devices on each of two sockets, two behind each PCIe root, as in common 8-GPU servers.
void place_in_server(resource::Device& device, int index, int count) {
  const int numa_node = index * 2 / std::max(count, 1);
  device.attributes["resource.kubernetes.io/pcieRoot"] = attribute(fmt::format("pci0000:{:02x}", 0x10 + index / 2 * 0x10));
  device.attributes["resource.kubernetes.io/pciBusID"] =
      attribute(fmt::format("0000:{:02x}:00.0", 0x11 + index / 2 * 0x10 + index % 2));
  device.attributes["resource.kubernetes.io/numaNode"] = integer(numa_node);
}

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  const auto found = std::ranges::find(kProfiles, name, &Profile::name);
  return found == std::end(kProfiles) ? nullptr : found;
}

resource::Device make_device(const Profile& profile, std::string_view node, int index, int count) {
  resource::Device device;
  device.name = fmt::format("gpu-{}", index);
  for (const auto& [name, text] : profile.attributes) device.attributes[std::string(name)] = attribute(text);
  for (const auto& [name, text] : profile.capacity) {
    device.capacity[std::string(name)].value = Quantity::must_parse(text);
  }
  Rng rng = Rng(0).fork(fmt::format("{}/{}/{}", profile.driver, node, index));
  const bool nvidia = profile.driver == kNvidiaDriver;
  device.attributes["uuid"] = attribute((nvidia ? "GPU-" : "gpu-") + rng.uuid());
  device.attributes["index"] = integer(index);
  if (nvidia) place_in_server(device, index, count);
  return device;
}

std::shared_ptr<resource::DeviceClass> class_of(std::string_view driver) {
  if (driver != kExampleDriver && driver != kNvidiaDriver) return nullptr;
  auto made = std::make_shared<resource::DeviceClass>();
  made->metadata.name = driver;
  std::string expression = fmt::format("device.driver == '{}'", driver);
  if (driver == kNvidiaDriver) {
    expression += fmt::format(" && device.attributes['{}'].type == 'gpu'", driver);
  } else {
    made->spec.extended_resource_name = "example.com/gpu";
  }
  made->spec.selectors.emplace_back().cel.emplace().expression = std::move(expression);
  return made;
}

}  // namespace dray::drivers
