#include "store/admission.h"

#include "store/admission_plugins.h"
#include "store/errors.h"

namespace dray::store {
namespace admission {

std::unexpected<Error> refused(const AdmissionRequest& request, std::string_view why) {
  const Object& object = request.object ? *request.object : *request.old;
  std::string_view name = object.name();
  if (name.empty()) name = object.metadata.generate_name;
  return fail(forbidden(request.kind, name.empty() ? "Unknown" : name, why));
}

}  // namespace admission

void add_default_admission(Resources& resources, Rng rng) {
  using namespace admission;
  resources.add_admission(limit_ranger_defaults(resources));
  resources.add_admission(service_account(resources, rng.fork("service account")));
  resources.add_admission(taint_nodes_by_condition());
  resources.add_admission(priority(resources));
  resources.add_admission(default_toleration_seconds());
  resources.add_admission(default_storage_class(resources));
  resources.add_admission(storage_in_use_protection(resources));
  resources.add_admission(pod_group_protection(resources));
  resources.add_admission(runtime_class(resources));
  resources.add_admission(default_ingress_class(resources));
  resources.add_admission(pod_topology_labels(resources));

  resources.add_validating_admission(limit_ranger_bounds(resources));
  resources.add_validating_admission(priority_class_bounds(resources));
  resources.add_validating_admission(volume_claim_resize(resources));
  resources.add_validating_admission(runtime_class_bounds(resources));
  resources.add_validating_admission(declared_features(resources));
  resources.add_validating_admission(pod_resize(resources));
  resources.add_validating_admission(resource_quota(resources));
}

}  // namespace dray::store
