#include "api/scheduling_hooks.h"

#include "api/scheduling_prepare.h"
#include "api/scheduling_table.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1alpha3.h"
#include "api/scheduling_v1beta1.h"
#include "api/scheduling_validation.h"

namespace dray::api {
namespace {

// The two versions have the same fields.
constexpr Conversion kGroupConversions[] = {
    {"v1alpha3", convert_to<scheduling_v1beta1::PodGroup>, convert_to<scheduling_v1alpha3::PodGroup>},
};
constexpr Conversion kWorkloadConversions[] = {
    {"v1alpha3", convert_to<scheduling_v1beta1::Workload>, convert_to<scheduling_v1alpha3::Workload>},
};

}  // namespace

std::span<const KindHooks> scheduling_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &scheduling::PriorityClass::kDescriptor,
       .hooks = {.set_defaults = default_priority_class,
                 .prepare_create = prepare_priority_class_create,
                 .validate_create = validate_priority_class_create,
                 .validate_update = validate_priority_class_update,
                 .row = priority_class_row},
       .columns = priority_class_columns()},
      {.stored = &scheduling_v1beta1::PodGroup::kDescriptor,
       .hooks = {.set_defaults = default_pod_group,
                 .prepare_create = prepare_pod_group_create,
                 .prepare_update = prepare_pod_group_update,
                 .prepare_status = prepare_pod_group_status,
                 .validate_create = validate_pod_group_create,
                 .validate_update = validate_pod_group_update,
                 .validate_status = validate_pod_group_status,
                 .row = pod_group_row},
       .columns = pod_group_columns(),
       .conversions = kGroupConversions,
       .unconditional_update = false},
      {.stored = &scheduling_v1alpha3::CompositePodGroup::kDescriptor,
       .hooks = {.set_defaults = default_composite_pod_group,
                 .prepare_create = prepare_composite_pod_group_create,
                 .prepare_update = prepare_composite_pod_group_update,
                 .prepare_status = prepare_composite_pod_group_status,
                 .validate_create = validate_composite_pod_group_create,
                 .validate_update = validate_composite_pod_group_update,
                 .validate_status = validate_composite_pod_group_status,
                 .row = composite_pod_group_row},
       .columns = composite_pod_group_columns(),
       .unconditional_update = false},
      {.stored = &scheduling_v1beta1::Workload::kDescriptor,
       .hooks = {.prepare_create = prepare_workload_create,
                 .prepare_update = prepare_workload_update,
                 .validate_create = validate_workload_create,
                 .validate_update = validate_workload_update},
       .conversions = kWorkloadConversions,
       .unconditional_update = false},
  };
  return kHooks;
}

}  // namespace dray::api
