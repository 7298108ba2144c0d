/// The tables of the groups that live in this folder; resource_hooks.h and scheduling_hooks.h have
/// theirs. Constants.
#pragma once

#include <span>

#include "api/hooks.h"

namespace dray::api {

[[nodiscard]] std::span<const KindHooks> core_hooks();
[[nodiscard]] std::span<const KindHooks> core_config_hooks();
[[nodiscard]] std::span<const KindHooks> core_volume_hooks();
[[nodiscard]] std::span<const KindHooks> event_hooks();
[[nodiscard]] std::span<const KindHooks> apps_hooks();
[[nodiscard]] std::span<const KindHooks> batch_hooks();
[[nodiscard]] std::span<const KindHooks> autoscaling_hooks();
[[nodiscard]] std::span<const KindHooks> networking_hooks();
[[nodiscard]] std::span<const KindHooks> rbac_hooks();
[[nodiscard]] std::span<const KindHooks> storage_hooks();
/// coordination, node, policy, PriorityClass: groups of one or two kinds.
[[nodiscard]] std::span<const KindHooks> small_group_hooks();

}  // namespace dray::api
