#include "dra/features.h"

#include <array>
#include <string_view>

namespace dray::dra {

namespace {
struct Gate {
  std::string_view name;
  bool Features::* feature;  // null: no matter for the allocator
};
constexpr std::array kGates = {
    Gate{"DRAAdminAccess", &Features::admin_access},
    Gate{"DRAConsumableCapacity", &Features::consumable_capacity},
    Gate{"DRADerivedAttributes", &Features::derived_attributes},
    Gate{"DRADeviceBindingConditions", nullptr},    // both together are one feature, below
    Gate{"DRAResourceClaimDeviceStatus", nullptr},
    Gate{"DRADeviceCompatibilityGroups", &Features::compatibility_groups},
    Gate{"DRADeviceTaintRules", nullptr},
    Gate{"DRADeviceTaints", &Features::device_taints},
    Gate{"DRAExtendedResource", nullptr},
    Gate{"DRAFractionalCapacityRange", &Features::fractional_capacity_range},
    Gate{"DRAListTypeAttributes", &Features::list_type_attributes},
    Gate{"DRANodeAllocatableResources", nullptr},
    Gate{"DRAOptionalNodeOperations", &Features::optional_node_operations},
    Gate{"DRAPartitionableDevices", &Features::partitionable_devices},
    Gate{"DRAPartitionableDevicesType", nullptr},
    Gate{"DRAPrioritizedList", &Features::prioritized_list},
    Gate{"DRAResourceClaimGranularStatusAuthorization", nullptr},
    Gate{"DRAResourcePoolStatus", nullptr},
    Gate{"DRASchedulerFilterTimeout", nullptr},
    Gate{"DRAWorkloadResourceClaims", nullptr},
    Gate{"DynamicResourceAllocation", nullptr},
};
}  // namespace

const char* Features::variant() const {
  if (experimental()) return "experimental";
  if (consumable_capacity || device_binding_and_status || fractional_capacity_range)
    return "incubating";
  return "stable";
}

Result<Features> features_from(const std::map<std::string, bool>& gates, const Features& defaults) {
  Features features = defaults;
  for (const auto& [name, on] : gates) {
    bool known = false;
    for (const Gate& gate : kGates) {
      if (gate.name != name) continue;
      known = true;
      if (gate.feature != nullptr) features.*gate.feature = on;
    }
    if (!known) return fail(Code::kBadRequest, "gates: unknown gate \"" + name + "\"");
  }
  const auto on = [&gates](const char* name, bool otherwise) {
    const auto found = gates.find(name);
    return found == gates.end() ? otherwise : found->second;
  };
  features.device_binding_and_status =
      on("DRADeviceBindingConditions", defaults.device_binding_and_status) &&
      on("DRAResourceClaimDeviceStatus", defaults.device_binding_and_status);
  return features;
}

}  // namespace dray::dra
