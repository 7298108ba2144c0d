#include "drivers/environment.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "api/resource_v1.h"
#include "drivers/profile.h"

namespace dray::drivers {
namespace {

/// "gpu" also names its alternatives "gpu/large".
bool names_request(std::string_view wanted, std::string_view actual) {
  return wanted.empty() || wanted == actual || wanted == actual.substr(0, actual.find('/'));
}

/// The opaque parameters that hold for one result; null if there are none.
const Value* parameters_of(const resource::AllocationResult& allocation,
                           const resource::DeviceRequestAllocationResult& result) {
  const Value* best = nullptr;
  bool from_claim = false;
  for (const auto& config : allocation.devices.config) {
    const auto& opaque = config.device_configuration.opaque;
    if (!opaque || opaque->driver != result.driver) continue;
    const bool applies =
        config.requests.empty() ||
        std::ranges::any_of(config.requests, [&](const std::string& r) { return names_request(r, result.request); });
    const bool of_claim = config.source == "FromClaim";
    if (applies && (of_claim || !from_claim)) {
      best = &opaque->parameters.value;
      from_claim = of_claim;
    }
  }
  return best;
}

std::string text_at(const Value* value, std::initializer_list<std::string_view> path,
                    std::string_view otherwise) {
  for (const std::string_view key : path) value = value ? value->find(key) : nullptr;
  if (!value || value->is_null()) return std::string(otherwise);
  return value->is_string() ? value->as_string() : print_json(*value);
}

/// As the public DRA example driver does it.
void add_example(const resource::ResourceClaim& claim,
                 const resource::DeviceRequestAllocationResult& result, const Value* parameters,
                 Environment& out) {
  const auto dash = result.device.find('-');
  std::string id = dash == std::string::npos ? result.device : result.device.substr(dash + 1);
  std::ranges::replace(id, '-', '_');
  const std::string prefix = "GPU_DEVICE_" + id;
  const std::string strategy = text_at(parameters, {"sharing", "strategy"}, "TimeSlicing");
  out[prefix] = result.device;
  out[prefix + "_RESOURCE_CLAIM"] = claim.metadata.uid;
  out[prefix + "_SHARING_STRATEGY"] = strategy;
  if (strategy == "TimeSlicing") {
    out[prefix + "_TIMESLICE_INTERVAL"] =
        text_at(parameters, {"sharing", "timeSlicingConfig", "interval"}, "Default");
  } else if (strategy == "SpacePartitioning") {
    out[prefix + "_PARTITION_COUNT"] =
        text_at(parameters, {"sharing", "spacePartitioningConfig", "partitionCount"}, "1");
  }
  out["DRA_RESOURCE_DRIVER_NAME"] = result.driver;
}

/// As the NVIDIA container toolkit does it: a list of UUIDs.
void add_nvidia(const resource::DeviceRequestAllocationResult& result, const FindDevice& find,
                Environment& out) {
  const resource::Device* const device = find(result.driver, result.pool, result.device);
  if (!device) return;
  const auto uuid = device->attributes.find("uuid");
  if (uuid == device->attributes.end() || !uuid->second.string) return;
  std::string& visible = out["NVIDIA_VISIBLE_DEVICES"];
  visible += (visible.empty() ? "" : ",") + *uuid->second.string;
}

}  // namespace

void add_environment(const resource::ResourceClaim& claim, std::string_view request,
                     const FindDevice& find, Environment& out) {
  if (!claim.status.allocation) return;
  for (const auto& result : claim.status.allocation->devices.results) {
    if (!names_request(request, result.request)) continue;
    if (result.driver == kNvidiaDriver) {
      add_nvidia(result, find, out);
    } else if (result.driver == kExampleDriver) {
      add_example(claim, result, parameters_of(*claim.status.allocation, result), out);
    } else {
      out[fmt::format("DRA_DEVICE_{}", out.size())] =
          fmt::format("{}/{}/{}", result.driver, result.pool, result.device);
    }
  }
}

}  // namespace dray::drivers
