/// Groups of one or two kinds: coordination, policy, node, flowcontrol.
#include "api/coordination_v1.h"
#include "api/core_defaults.h"
#include "api/feature_gates.h"
#include "api/flowcontrol_v1.h"
#include "api/gated_fields.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/node_v1.h"
#include "api/policy_v1.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr GatedField kLeaseFields[] = {{"CoordinatedLeaderElection", "strategy"},
                                       {"CoordinatedLeaderElection", "preferredHolder"}};

void prepare_lease(const HookContext& context, Object& object) {
  drop_gated<coordination::LeaseSpec>(context.gates, kLeaseFields, cast<coordination::Lease>(object).spec, nullptr);
}

void prepare_lease_update(const HookContext& context, Object& object, const Object& old) {
  drop_gated(context.gates, kLeaseFields, cast<coordination::Lease>(object).spec,
             &cast<coordination::Lease>(old).spec);
}

constexpr std::int32_t kMatchingPrecedence = 1000;
constexpr std::int32_t kConcurrencyShares = 30;

void default_flow_schema(Object& object) {
  default_to(cast<flowcontrol::FlowSchema>(object).spec.matching_precedence, kMatchingPrecedence);
}

void default_priority_level(Object& object) {
  auto& spec = cast<flowcontrol::PriorityLevelConfiguration>(object).spec;
  if (spec.exempt) {
    default_to(spec.exempt->nominal_concurrency_shares, 0);
    default_to(spec.exempt->lendable_percent, 0);
  }
  if (!spec.limited) return;
  default_to(spec.limited->nominal_concurrency_shares, kConcurrencyShares);
  default_to(spec.limited->lendable_percent, 0);
  if (auto& queuing = spec.limited->limit_response.queuing) {
    default_to(queuing->hand_size, 8);
    default_to(queuing->queues, 64);
    default_to(queuing->queue_length_limit, 50);
  }
}

}  // namespace

std::span<const KindHooks> small_group_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &coordination::Lease::kDescriptor,
       .hooks = {.prepare_create = prepare_lease,
                 .prepare_update = prepare_lease_update,
                 .validate_create = validate_lease_create,
                 .validate_update = validate_lease_update,
                 .row = lease_row},
       .columns = kLeaseColumns,
       .create_on_update = true,
       .unconditional_update = false},
      {.stored = &policy::PodDisruptionBudget::kDescriptor,
       .hooks = {.prepare_create = reset_status<policy::PodDisruptionBudget>,
                 .prepare_update = keep_status<policy::PodDisruptionBudget>,
                 .prepare_status = keep_spec<policy::PodDisruptionBudget>,
                 .validate_create = validate_disruption_budget_create,
                 .validate_update = validate_disruption_budget_update,
                 .validate_status = validate_disruption_budget_status,
                 .row = disruption_budget_row},
       .columns = kDisruptionBudgetColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &node::RuntimeClass::kDescriptor,
       .hooks = {.validate_create = validate_runtime_class_create,
                 .validate_update = validate_runtime_class_update,
                 .row = runtime_class_row},
       .columns = kRuntimeClassColumns,
       .create_on_update = true,
       .unconditional_update = false},
      {.stored = &flowcontrol::FlowSchema::kDescriptor,
       .hooks = {.set_defaults = default_flow_schema,
                 .prepare_create = reset_status<flowcontrol::FlowSchema>,
                 .prepare_update = keep_status<flowcontrol::FlowSchema>,
                 .prepare_status = keep_spec<flowcontrol::FlowSchema>,
                 .row = flow_schema_row},
       .columns = kFlowSchemaColumns,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &flowcontrol::PriorityLevelConfiguration::kDescriptor,
       .hooks = {.set_defaults = default_priority_level,
                 .prepare_create = reset_status<flowcontrol::PriorityLevelConfiguration>,
                 .prepare_update = keep_status<flowcontrol::PriorityLevelConfiguration>,
                 .prepare_status = keep_spec<flowcontrol::PriorityLevelConfiguration>,
                 .row = priority_level_row},
       .columns = kPriorityLevelColumns,
       .has_generation = true,
       .unconditional_update = false},
  };
  return kHooks;
}

}  // namespace dray::api
