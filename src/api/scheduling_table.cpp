#include "api/scheduling_table.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "api/age.h"
#include "api/hooks.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1alpha3.h"
#include "api/scheduling_v1beta1.h"

namespace dray::api {
namespace {

constexpr Column kName = {"Name", "string", "name"};
constexpr Column kAge = {"Age"};
constexpr Column kPriorityClassColumns[] = {
    kName, {"Value", "integer"}, {"Global-Default", "boolean"}, kAge, {"PreemptionPolicy"}};
constexpr Column kGroupColumns[] = {kName, {"Policy"}, {"Workload"}, {"Status"}, kAge};
constexpr Column kCompositeColumns[] = {kName, {"Policy"}, {"Workload"}, kAge};

std::string created(const Object& object, Now now) {
  return age(object.metadata.creation_timestamp, now);
}

template <class Spec>
std::string policy_of(const Spec& spec) {
  return spec.scheduling_policy.gang ? "Gang" : "Basic";
}

template <class Spec>
std::string workload_of(const Spec& spec) {
  return spec.workload_ref ? spec.workload_ref->workload_name : "<none>";
}

/// The last condition of that type, or null.
const meta::Condition* find_condition(const std::vector<meta::Condition>& conditions,
                                      std::string_view type) {
  const auto found = std::find_if(conditions.rbegin(), conditions.rend(),
                                  [&](const auto& condition) { return condition.type == type; });
  return found == conditions.rend() ? nullptr : &*found;
}

std::string status_of(const scheduling_v1beta1::PodGroup& group) {
  if (const auto* target = find_condition(group.status.conditions, "DisruptionTarget")) {
    return target->reason;
  }
  const auto* scheduled = find_condition(group.status.conditions, "PodGroupInitiallyScheduled");
  if (!scheduled) return "Pending";
  return scheduled->status == "True" ? "Scheduled" : "Unschedulable";
}

}  // namespace

std::span<const Column> priority_class_columns() { return kPriorityClassColumns; }
std::span<const Column> pod_group_columns() { return kGroupColumns; }
std::span<const Column> composite_pod_group_columns() { return kCompositeColumns; }

Value::List priority_class_row(const Object& object, Now now) {
  const auto& priority_class = cast<scheduling::PriorityClass>(object);
  return {object.name(), priority_class.value, priority_class.global_default, created(object, now),
          priority_class.preemption_policy.value_or("")};
}

Value::List pod_group_row(const Object& object, Now now) {
  const auto& group = cast<scheduling_v1beta1::PodGroup>(object);
  return {object.name(), policy_of(group.spec), workload_of(group.spec), status_of(group),
          created(object, now)};
}

Value::List composite_pod_group_row(const Object& object, Now now) {
  const auto& spec = cast<scheduling_v1alpha3::CompositePodGroup>(object).spec;
  return {object.name(), policy_of(spec), workload_of(spec), created(object, now)};
}

}  // namespace dray::api
