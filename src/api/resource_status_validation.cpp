#include "api/resource_status_validation.h"

#include <set>
#include <tuple>

#include "api/core_v1.h"
#include "api/core_validate.h"
#include "api/resource_claim_validation.h"
#include "api/resource_device_id.h"
#include "api/resource_parts.h"
#include "machinery/metadata_validation.h"
#include "machinery/value.h"

namespace dray::api {
namespace {

constexpr std::size_t kReservedForMax = 256;
constexpr std::size_t kIpsMax = 16;
constexpr std::size_t kAllocationConfigMax = 64;

using Consumer = resource::ResourceClaimConsumerReference;

void validate_consumer(const Consumer& consumer, const FieldPath& at, Causes& out) {
  if (consumer.resource.empty()) out.required(at / "resource");
  if (consumer.name.empty()) out.required(at / "name");
  if (consumer.uid.empty()) out.required(at / "uid");
}

auto consumer_key(const Consumer& consumer) {
  return std::tie(consumer.api_group, consumer.resource, consumer.name, consumer.uid);
}

bool adds_consumers(const resource::ResourceClaimStatus& fresh, const resource::ResourceClaimStatus& old) {
  std::set<std::tuple<std::string, std::string, std::string, std::string>> known;
  for (const Consumer& consumer : old.reserved_for) known.insert(consumer_key(consumer));
  for (const Consumer& consumer : fresh.reserved_for) {
    if (!known.contains(consumer_key(consumer))) return true;
  }
  return false;
}

void validate_network_data(const resource::NetworkDeviceData& data, const FieldPath& at, Causes& out) {
  if (data.ips.size() > kIpsMax) return;  // said declaratively
  for (std::size_t i = 0; i < data.ips.size(); ++i) {
    out.invalid_each(at / "ips" / i, data.ips[i], check_interface_address(data.ips[i]));
  }
}

/// The key as Kubernetes prints it.
BadValue shown(const DeviceKey& key) {
  const auto& [driver, pool, device, share] = key;
  Value out = Value::map();
  out.set("Driver", driver);
  out.set("Pool", pool);
  out.set("Device", device);
  out.set("ShareID", share);
  return {out};
}

void validate_device_status(const resource::AllocatedDeviceStatus& device,
                            const std::set<DeviceKey>& allocated, const FieldPath& at, Causes& out) {
  validate_driver_name(device.driver, at / "driver", out);
  validate_pool_name(device.pool, at / "pool", out);
  validate_device_name(device.device, at / "device", out);
  if (!allocated.contains(device_key(device))) {
    out.invalid(at, shown(device_key(device)), "must be an allocated device in the claim");
  }
  const FieldPath conditions = at / "conditions";
  if (device.conditions.size() > kConditionsMax) {
    out.too_many(conditions, static_cast<std::int64_t>(device.conditions.size()), kConditionsMax);
  }
  validate_conditions(device.conditions, conditions, out);
  if (!device.data.value.is_null()) {
    validate_json_object(device.data, false, kParametersBytesMax, at / "data", out);
  }
  if (device.network_data) validate_network_data(*device.network_data, at / "networkData", out);
}

void validate_devices(const resource::ResourceClaimStatus& status, const FieldPath& at, Causes& out) {
  std::set<DeviceKey> allocated;
  if (status.allocation) {
    for (const auto& result : status.allocation->devices.results) allocated.insert(device_key(result));
  }
  for (std::size_t i = 0; i < status.devices.size(); ++i) {
    validate_device_status(status.devices[i], allocated, at / i, out);
  }
}

void validate_result(const resource::DeviceRequestAllocationResult& result, const RequestNames& names,
                     const FieldPath& at, Causes& out) {
  names.validate_reference(result.request, at / "request", out);
  validate_device_name(result.device, at / "device", out);
  validate_binding_conditions(result.binding_conditions, result.binding_failure_conditions, at, out);
  validate_tolerations(result.tolerations, at / "tolerations", out);
  validate_skip_node_operations(result.skip_node_operations, at / "skipNodeOperations", out);
}

/// A first allocation. A stored one is never checked again: the rules have become stricter.
void validate_allocation(const resource::AllocationResult& allocation, const RequestNames& names,
                         const FieldPath& at, Causes& out) {
  const auto& [results, config] = allocation.devices;
  const FieldPath devices = at / "devices", results_at = devices / "results", config_at = devices / "config";
  for (std::size_t i = 0; results.size() <= kResultsMax && i < results.size(); ++i) {
    validate_result(results[i], names, results_at / i, out);
  }
  for (std::size_t i = 0; config.size() <= kAllocationConfigMax && i < config.size(); ++i) {
    names.validate_references(config[i].requests, config_at / i / "requests", out);
    validate_device_configuration(config[i].device_configuration, false, config_at / i, out);
  }
  if (allocation.node_selector) {
    validate_node_selector(*allocation.node_selector, at / "nodeSelector", out);
  }
}

}  // namespace

void validate_claim_status_change(const resource::ResourceClaim& fresh, const resource::ResourceClaim& old,
                                  Causes& out) {
  const resource::ResourceClaimStatus& status = fresh.status;
  const FieldPath at("status");
  const FieldPath reserved = at / "reservedFor";
  if (status.reserved_for.size() <= kReservedForMax) {
    for (std::size_t i = 0; i < status.reserved_for.size(); ++i) {
      validate_consumer(status.reserved_for[i], reserved / i, out);
    }
  }
  validate_devices(status, at / "devices", out);
  if (!status.reserved_for.empty() && !status.allocation) {
    out.forbidden(reserved, "may not be specified when `allocated` is not set");
  } else if (!status.reserved_for.empty() && fresh.metadata.deletion_timestamp &&
             adds_consumers(status, old.status)) {
    out.forbidden(reserved, "new entries may not be added while `deallocationRequested` or "
                            "`deletionTimestamp` are set");
  }
  if (status.allocation && !old.status.allocation) {
    validate_allocation(*status.allocation, RequestNames(fresh.spec.devices), at / "allocation", out);
  }
}

}  // namespace dray::api
