#include "api/scheduling_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "api/declarative_validation.h"
#include "api/hooks.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1alpha3.h"
#include "api/scheduling_v1beta1.h"
#include "api/scheduling_workload_validation.h"
#include "machinery/metadata_validation.h"

namespace dray::api {
namespace {

using Group = scheduling_v1beta1::PodGroup;
using Composite = scheduling_v1alpha3::CompositePodGroup;
using Workload = scheduling_v1beta1::Workload;

constexpr std::int32_t kUserPriorityMax = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

struct SystemClass {
  std::string_view name;
  std::int32_t value;
};
constexpr SystemClass kSystemClasses[] = {{"system-node-critical", 2'000'001'000},
                                          {"system-cluster-critical", 2'000'000'000}};

FieldPath metadata() { return FieldPath("metadata"); }

/// Why a class that is named like one of the system's is none; empty if it is.
std::string system_class_problem(const scheduling::PriorityClass& object) {
  for (const SystemClass& known : kSystemClasses) {
    if (known.name != object.name()) continue;
    if (object.value != known.value) {
      return fmt::format("value of {} PriorityClass must be {}", known.name, known.value);
    }
    if (object.global_default) {
      return fmt::format("globalDefault of {} PriorityClass must be false", known.name);
    }
    return "";
  }
  return fmt::format("{} is not a known system priority class", object.name());
}

void validate_new_metadata(const Object& object, bool namespaced, Causes& out) {
  validate_metadata(object.metadata, namespaced, check_name_is_subdomain, metadata(), out);
}

}  // namespace

void validate_priority_class_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& priority_class = cast<scheduling::PriorityClass>(object);
  validate_new_metadata(object, false, out);
  if (priority_class.name().starts_with(kSystemPrefix)) {
    if (const std::string problem = system_class_problem(priority_class); !problem.empty()) {
      out.forbidden(metadata() / "name",
                    fmt::format("priority class names with '{}' prefix are reserved for system use only. "
                                "error: {}",
                                kSystemPrefix, problem));
    }
  } else if (priority_class.value > kUserPriorityMax) {
    out.forbidden(FieldPath("value"), fmt::format("maximum allowed value of a user defined priority is {}",
                                                  kUserPriorityMax));
  }
  if (priority_class.preemption_policy) {
    const FieldPath at("preemptionPolicy");
    const std::string& policy = *priority_class.preemption_policy;
    if (policy.empty()) {
      out.required(at);
    } else if (policy != "PreemptLowerPriority" && policy != "Never") {
      out.not_supported(at, policy, {"PreemptLowerPriority", "Never"});
    }
  }
  validate_declaratively(object, nullptr, context, out);
}

void validate_priority_class_update(const HookContext& context, const Object& object,
                                    const Object& old_object, Causes& out) {
  const auto& priority_class = cast<scheduling::PriorityClass>(object);
  const auto& old = cast<scheduling::PriorityClass>(old_object);
  validate_metadata_update(object.metadata, old_object.metadata, metadata(), out);
  if (priority_class.value != old.value) {
    out.forbidden(FieldPath("value"), "may not be changed in an update.");
  }
  out.immutable(FieldPath("preemptionPolicy"), priority_class.preemption_policy, old.preemption_policy);
  validate_declaratively(object, &old_object, context, out);
}

void validate_pod_group_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& spec = cast<Group>(object).spec;
  validate_new_metadata(object, true, out);
  if (spec.parent_composite_pod_group_name && !spec.workload_ref) {
    out.required(FieldPath("spec") / "workloadRef",
                 "must be set when parentCompositePodGroupName is set");
  }
  validate_declaratively(object, nullptr, context, out);
}

void validate_pod_group_update(const HookContext& context, const Object& object, const Object& old,
                               Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_declaratively(object, &old, context, out);
}

void validate_pod_group_status(const HookContext& context, const Object& object, const Object& old,
                               Causes& out) {
  const auto& group = cast<Group>(object);
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  const FieldPath status("status");
  validate_conditions(group.status.conditions, status / "conditions", out);
  const auto& statuses = group.status.resource_claim_statuses;
  const auto& claims = group.spec.resource_claims;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (std::any_of(claims.begin(), claims.end(),
                    [&](const auto& claim) { return claim.name == statuses[i].name; })) {
      continue;
    }
    out.invalid(status / "resourceClaimStatuses" / i / "name", statuses[i].name,
                "must match the name of an entry in `spec.resourceClaims`");
  }
  validate_declaratively(object, &old, context, out);
}

void validate_composite_pod_group_create(const HookContext& context, const Object& object, Causes& out) {
  validate_new_metadata(object, true, out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_composite_pod_group_update(const HookContext& context, const Object& object,
                                         const Object& old, Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_declaratively(object, &old, context, out);
}

void validate_composite_pod_group_status(const HookContext& context, const Object& object,
                                         const Object& old, Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_conditions(cast<Composite>(object).status.conditions, FieldPath("status") / "conditions", out);
  validate_declaratively(object, &old, context, out);
}

void validate_workload_create(const HookContext& context, const Object& object, Causes& out) {
  validate_new_metadata(object, true, out);
  validate_workload_templates(cast<Workload>(object).spec, FieldPath("spec"), out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_workload_update(const HookContext& context, const Object& object, const Object& old,
                              Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_workload_templates(cast<Workload>(object).spec, FieldPath("spec"), out);
  validate_declaratively(object, &old, context, out);
}

}  // namespace dray::api
