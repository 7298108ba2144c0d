/// How a Prepared is made. For this folder only.
#pragma once

#include <memory>
#include <vector>

#include "dra/prepared.h"

namespace dray::dra {

class DeviceClasses;

[[nodiscard]] std::unique_ptr<Prepared::Impl> prepare(
    Inventory::Impl& inventory, const DeviceClasses& classes,
    std::vector<std::shared_ptr<const resource::ResourceClaim>> claims);

}  // namespace dray::dra
