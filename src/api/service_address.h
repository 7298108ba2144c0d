/// Addresses and node ports of services. Nothing routes them here, so they need no allocator: they
/// follow from the service's name, and stay with it. Two services can meet on one address.
#pragma once

#include "api/core_v1.h"

namespace dray::api {

/// Fills clusterIP, families and node ports where they are absent and the type has them.
void allocate_service_addresses(core::Service& service);

}  // namespace dray::api
