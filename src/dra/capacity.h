/// What a request takes from a device's capacities, with the device's request policies.
/// Source: structured/internal/*/consumable_capacity.go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dra/amount.h"
#include "machinery/quantity.h"

namespace dray::resource {
struct Device;
struct CapacityRequirements;
struct DeviceCapacity;
}  // namespace dray::resource

namespace dray::dra {

/// What one request takes from one device, before looking at what others took.
struct CapacityDemand {
  enum class Status : std::uint8_t {
    kFits,   // `amounts` are what it takes; each is at most the device's value
    kSkip,   // this device can never serve the request
    kError,  // the attempt ends, with `error`
  };
  Status status = Status::kFits;
  /// One per capacity of the device, in the order of their names.
  std::vector<Amount> amounts;
  std::string error;
};

/// `request` may be null (nothing asked for).
[[nodiscard]] CapacityDemand capacity_demand(const resource::CapacityRequirements* request,
                                             const resource::Device& device, bool fractional_ranges);

/// The amount of one capacity as it is written into the result: with the format of its source.
/// `requested` may be null. Only for demands that fit.
[[nodiscard]] Quantity consumed_quantity(const Quantity* requested,
                                         const resource::DeviceCapacity& capacity,
                                         bool fractional_ranges);

}  // namespace dray::dra
