/// The devices that simulated drivers publish: what a node of a certain make has.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dray::resource {
struct Device;
struct DeviceClass;
}  // namespace dray::resource

namespace dray::drivers {

inline constexpr std::string_view kExampleDriver = "gpu.example.com";
inline constexpr std::string_view kNvidiaDriver = "gpu.nvidia.com";

/// A make of device, as one driver publishes it. A constant of the program.
struct Profile {
  std::string_view name;    // "nvidia-h100": what a fleet file says
  std::string_view driver;
  int count;                // devices of a node, if the fleet file does not say
  /// Attributes and capacities that all devices share, as text: "version:535.1.0", "int:1", else a string.
  std::span<const std::pair<std::string_view, std::string_view>> attributes;
  std::span<const std::pair<std::string_view, std::string_view>> capacity;
};

[[nodiscard]] std::span<const Profile> profiles();
/// Null if there is none of that name.
[[nodiscard]] const Profile* find_profile(std::string_view name);

/// Device `index` of `count` on a node: name, shared attributes, and its own index, UUID, PCIe root, bus
/// id and NUMA node. Equal arguments give equal devices.
[[nodiscard]] resource::Device make_device(const Profile& profile, std::string_view node, int index,
                                           int count);

/// The DeviceClass that comes with a driver's installation; null if it brings none.
[[nodiscard]] std::shared_ptr<resource::DeviceClass> class_of(std::string_view driver);

}  // namespace dray::drivers
