/// Conditions of pods. Pure.
#pragma once

#include <string>
#include <string_view>

#include "machinery/time.h"

namespace dray::core {
struct Pod;
struct PodCondition;
}  // namespace dray::core

namespace dray::store {

struct ConditionUpdate {
  std::string type, status, reason, message;
};

/// Sets or adds the condition; its transition time moves only with its status. Whether anything changed.
bool set_pod_condition(core::Pod& pod, const ConditionUpdate& update, Time now);
/// Null if there is none.
[[nodiscard]] const core::PodCondition* pod_condition(const core::Pod& pod, std::string_view type);
[[nodiscard]] bool is_pod_ready(const core::Pod& pod);

}  // namespace dray::store
