// Priority: numbers come from classes, never from users.

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1alpha3.h"
#include "api/scheduling_v1beta1.h"
#include "store/admission_plugins.h"

namespace dray::store::admission {
namespace {

using scheduling::PriorityClass;

/// What a class, or its absence, says.
struct Standing {
  std::string class_name;
  std::int32_t priority = 0;
  std::optional<std::string> preemption_policy;
};

/// Of several default classes the one of lowest value.
std::shared_ptr<const PriorityClass> default_class(Resources& resources) {
  std::shared_ptr<const PriorityClass> best;
  for (const ObjectPtr& object : resources.store().list(resources.registry().of<PriorityClass>()).items) {
    auto one = as<PriorityClass>(object);
    if (one->global_default && (!best || best->value > one->value)) best = std::move(one);
  }
  return best;
}

Result<Standing> standing_of(Resources& resources, const AdmissionRequest& request, const std::string& class_name) {
  const auto found = class_name.empty() ? default_class(resources) : lookup<PriorityClass>(resources, {}, class_name);
  if (found) return Standing{found->name(), found->value, found->preemption_policy};
  if (class_name.empty()) return Standing{{}, 0, "PreemptLowerPriority"};
  return refused(request, fmt::format("no PriorityClass with name {} was found", class_name));
}

/// An update cannot change either field, and need not repeat them.
void keep(core::Pod& pod, const core::Pod& old) {
  if (!pod.spec.priority) pod.spec.priority = old.spec.priority;
  if (!pod.spec.preemption_policy) pod.spec.preemption_policy = old.spec.preemption_policy;
}

Result<> set_policy(const AdmissionRequest& request, std::optional<std::string>& policy, const std::optional<std::string>& computed,
                    std::string_view what) {
  if (!computed) return {};
  if (policy && *policy != *computed) {
    return refused(request, fmt::format("the string value of PreemptionPolicy ({}) must not be provided in {} spec; priority "
                                        "admission controller computed {} from the given PriorityClass name",
                                        *policy, what, *computed));
  }
  policy = computed;
  return {};
}

Result<> admit_pod(Resources& resources, const AdmissionRequest& request, core::PodSpec& spec) {
  TRY_ASSIGN(const Standing standing, standing_of(resources, request, spec.priority_class_name));
  if (spec.priority && *spec.priority != standing.priority) {
    return refused(request, fmt::format("the integer value of priority ({}) must not be provided in pod spec; priority "
                                        "admission controller computed {} from the given PriorityClass name",
                                        *spec.priority, standing.priority));
  }
  spec.priority_class_name = standing.class_name;
  spec.priority = standing.priority;
  return set_policy(request, spec.preemption_policy, standing.preemption_policy, "pod");
}

/// Pod groups and composite pod groups.
template <class Spec>
Result<> admit_group(Resources& resources, const AdmissionRequest& request, Spec& spec, std::string_view what) {
  TRY_ASSIGN(const Standing standing, standing_of(resources, request, spec.priority_class_name));
  if (spec.priority && *spec.priority != standing.priority) {
    return refused(request, fmt::format("priority set in the {} ({}) must match the priority computed ({}) based on the "
                                        "priority class set in the spec",
                                        what, *spec.priority, standing.priority));
  }
  spec.priority = standing.priority;
  spec.priority_class_name = standing.class_name;
  if (!resources.gates().enabled("PodGroupPreemptionPolicy")) return {};
  return set_policy(request, spec.preemption_policy, standing.preemption_policy, what);
}

}  // namespace

Admission priority(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (auto* pod = created<core::Pod>(request)) return admit_pod(resources, request, pod->spec);
    if (auto* pod = object_of<core::Pod>(request)) {
      keep(*pod, *old_of<core::Pod>(request));
      return {};
    }
    if (auto* group = created<scheduling_v1beta1::PodGroup>(request); group && resources.gates().enabled("GenericWorkload")) {
      return admit_group(resources, request, group->spec, "pod group");
    }
    if (auto* group = created<scheduling_v1alpha3::CompositePodGroup>(request);
        group && resources.gates().enabled("CompositePodGroup")) {
      return admit_group(resources, request, group->spec, "composite pod group");
    }
    return {};
  };
}

Admission priority_class_bounds(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    const auto* const one = object_of<PriorityClass>(request);
    if (!one || !one->global_default) return {};
    const auto other = default_class(resources);
    if (!other) return {};
    if (request.operation == Operation::kUpdate && other->name() == one->name()) return {};
    return refused(request, fmt::format("PriorityClass {} is already marked as default. Only one default can exist", other->name()));
  };
}

}  // namespace dray::store::admission
