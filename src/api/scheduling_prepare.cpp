#include "api/scheduling_prepare.h"

#include "api/feature_gates.h"
#include "api/hooks.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1alpha3.h"
#include "api/scheduling_v1beta1.h"
#include "api/status_metadata.h"

namespace dray::api {
namespace {

using Group = scheduling_v1beta1::PodGroup;
using GroupSpec = scheduling_v1beta1::PodGroupSpec;
using GroupTemplate = scheduling_v1beta1::PodGroupTemplate;
using Composite = scheduling_v1alpha3::CompositePodGroup;
using CompositeTemplate = scheduling_v1beta1::CompositePodGroupTemplate;
using Workload = scheduling_v1beta1::Workload;

constexpr std::string_view kPreemptionPolicyDefault = "PreemptLowerPriority";

template <class Spec>
void drop_preemption_policy(const FeatureGates& gates, Spec& fresh, const Spec* old) {
  if (gates.enabled("PodGroupPreemptionPolicy") || (old && old->preemption_policy)) return;
  fresh.preemption_policy.reset();
}

/// With the gate on a group always says whether it preempts.
template <class Spec>
void default_preemption_policy(const FeatureGates& gates, Spec& spec) {
  if (gates.enabled("PodGroupPreemptionPolicy") && !spec.preemption_policy) {
    spec.preemption_policy = kPreemptionPolicyDefault;
  }
}

/// What a PodGroup's spec and a template of one share.
template <class Spec>
void drop_group_fields(const FeatureGates& gates, Spec& fresh, const Spec* old) {
  if (!gates.enabled("TopologyAwareWorkloadScheduling") && !(old && old->scheduling_constraints)) {
    fresh.scheduling_constraints.reset();
  }
  if (!gates.enabled("DRAWorkloadResourceClaims") && !(old && !old->resource_claims.empty())) {
    fresh.resource_claims.clear();
  }
  drop_preemption_policy(gates, fresh, old);
}

void drop_disabled(const FeatureGates& gates, GroupSpec& fresh, const GroupSpec* old) {
  drop_group_fields(gates, fresh, old);
  if (!gates.enabled("CompositePodGroup") && !(old && old->parent_composite_pod_group_name)) {
    fresh.parent_composite_pod_group_name.reset();
  }
}

/// By position, as there.
void drop_disabled(const FeatureGates& gates, std::vector<GroupTemplate>& fresh,
                   const std::vector<GroupTemplate>* old) {
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    drop_group_fields(gates, fresh[i], old && i < old->size() ? &(*old)[i] : nullptr);
  }
}

/// By name.
void drop_disabled(const FeatureGates& gates, std::vector<CompositeTemplate>& fresh,
                   const std::vector<CompositeTemplate>* old) {
  if (!gates.enabled("CompositePodGroup") && !(old && !old->empty())) fresh.clear();
  for (CompositeTemplate& one : fresh) {
    const CompositeTemplate* same = nullptr;
    if (old) {
      for (const CompositeTemplate& candidate : *old) {
        if (candidate.name == one.name) same = &candidate;
      }
    }
    drop_preemption_policy(gates, one, same);
    drop_disabled(gates, one.composite_pod_group_templates,
                  same ? &same->composite_pod_group_templates : nullptr);
    drop_disabled(gates, one.pod_group_templates, same ? &same->pod_group_templates : nullptr);
  }
}

template <class Spec>
void default_disruption_mode(Spec& spec) {
  if (!spec.disruption_mode) spec.disruption_mode.emplace().single.emplace();
}

}  // namespace

void default_pod_group(Object& object) { default_disruption_mode(cast<Group>(object).spec); }
void default_composite_pod_group(Object& object) {
  default_disruption_mode(cast<Composite>(object).spec);
}
void default_priority_class(Object& object) {
  auto& priority_class = cast<scheduling::PriorityClass>(object);
  if (!priority_class.preemption_policy) priority_class.preemption_policy = kPreemptionPolicyDefault;
}

void prepare_priority_class_create(const HookContext&, Object& object) {
  object.metadata.generation = 1;
}

void prepare_pod_group_create(const HookContext& context, Object& object) {
  auto& group = cast<Group>(object);
  group.status = {};
  default_preemption_policy(context.gates, group.spec);
  drop_disabled(context.gates, group.spec, nullptr);
}

void prepare_pod_group_update(const HookContext& context, Object& object, const Object& old_object) {
  auto& group = cast<Group>(object);
  const auto& old = cast<Group>(old_object);
  group.status = old.status;
  default_preemption_policy(context.gates, group.spec);
  drop_disabled(context.gates, group.spec, &old.spec);
}

void prepare_pod_group_status(const HookContext& context, Object& object, const Object& old_object) {
  auto& group = cast<Group>(object);
  const auto& old = cast<Group>(old_object);
  group.spec = old.spec;
  reset_metadata_for_status(group.metadata, old.metadata);
  if (!context.gates.enabled("DRAWorkloadResourceClaims") && old.spec.resource_claims.empty()) {
    group.status.resource_claim_statuses.clear();
  }
}

void prepare_composite_pod_group_create(const HookContext& context, Object& object) {
  auto& group = cast<Composite>(object);
  group.status = {};
  default_preemption_policy(context.gates, group.spec);
  drop_preemption_policy<scheduling_v1alpha3::CompositePodGroupSpec>(context.gates, group.spec, nullptr);
}

void prepare_composite_pod_group_update(const HookContext& context, Object& object,
                                        const Object& old_object) {
  auto& group = cast<Composite>(object);
  const auto& old = cast<Composite>(old_object);
  group.status = old.status;
  default_preemption_policy(context.gates, group.spec);
  drop_preemption_policy(context.gates, group.spec, &old.spec);
}

void prepare_composite_pod_group_status(const HookContext&, Object& object, const Object& old_object) {
  auto& group = cast<Composite>(object);
  const auto& old = cast<Composite>(old_object);
  group.spec = old.spec;
  reset_metadata_for_status(group.metadata, old.metadata);
}

void prepare_workload_create(const HookContext& context, Object& object) {
  auto& spec = cast<Workload>(object).spec;
  drop_disabled(context.gates, spec.pod_group_templates, nullptr);
  drop_disabled(context.gates, spec.composite_pod_group_templates, nullptr);
}

void prepare_workload_update(const HookContext& context, Object& object, const Object& old_object) {
  auto& spec = cast<Workload>(object).spec;
  const auto& old = cast<Workload>(old_object).spec;
  drop_disabled(context.gates, spec.pod_group_templates, &old.pod_group_templates);
  drop_disabled(context.gates, spec.composite_pod_group_templates, &old.composite_pod_group_templates);
}

}  // namespace dray::api
