/// Validation of how the capacity of a device is shared out, and of what the device takes of its node.
/// Source: kubernetes pkg/apis/resource/validation/validation.go (1.37).
#pragma once

#include <map>
#include <string>

#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "machinery/validate.h"

namespace dray::api {

using Capacities = std::map<std::string, resource::DeviceCapacity>;

/// `shared`: the device can be allocated several times.
void validate_capacities(const FeatureGates& gates, const Capacities& capacities, bool shared,
                         const FieldPath& at, Causes& out);

void validate_node_allocatable(const std::map<std::string, resource::NodeAllocatableResource>& resources,
                               const Capacities& capacities, const FieldPath& at, Causes& out);

}  // namespace dray::api
