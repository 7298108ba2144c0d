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
  resources.add_admission(service_account(resources, rng.fork("service account")));
  resources.add_admission(taint_nodes_by_condition());
  resources.add_admission(priority(resources));
  resources.add_admission(default_toleration_seconds());

  resources.add_validating_admission(priority_class_bounds(resources));
}

}  // namespace dray::store
