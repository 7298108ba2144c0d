/// Validation of a device of a slice.
#pragma once

#include "api/feature_gates.h"
#include "api/resource_v1.h"
#include "machinery/validate.h"

namespace dray::api {

/// `old` is the device of that name before an update, or null; `per_device_nodes`: whether each device of
/// the slice says on which nodes it is.
void validate_device(const FeatureGates& gates, const resource::Device& device,
                     const resource::Device* old, bool per_device_nodes, const FieldPath& at, Causes& out);

[[nodiscard]] bool has_list_value(const resource::DeviceAttribute& attribute);

}  // namespace dray::api
