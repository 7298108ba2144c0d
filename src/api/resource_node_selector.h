/// Node selectors of slices, devices and allocations.
#pragma once

#include "machinery/validate.h"

namespace dray::core {
struct NodeSelector;
}

namespace dray::api {

/// ValidateNodeSelector: at least one term, operators with the values that they need.
void validate_device_node_selector(const core::NodeSelector& selector, const FieldPath& at, Causes& out);

}  // namespace dray::api
