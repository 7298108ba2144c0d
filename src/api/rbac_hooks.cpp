/// Roles and their bindings.
#include "api/core_defaults.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/rbac_v1.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

template <class T>
void default_binding(Object& object) {
  auto& binding = cast<T>(object);
  default_to(binding.role_ref.api_group, kGroup);
  for (rbac::Subject& subject : binding.subjects)
    if (subject.kind == "User" || subject.kind == "Group") default_to(subject.api_group, kGroup);
}

}  // namespace

std::span<const KindHooks> rbac_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &rbac::Role::kDescriptor,
       .hooks = {.validate_create = validate_role_create,
                 .validate_update = validate_role_update,
                 .row = created_row},
       .columns = kCreatedColumns,
       .create_on_update = true},
      {.stored = &rbac::ClusterRole::kDescriptor,
       .hooks = {.validate_create = validate_cluster_role_create,
                 .validate_update = validate_cluster_role_update,
                 .row = created_row},
       .columns = kCreatedColumns,
       .create_on_update = true},
      {.stored = &rbac::RoleBinding::kDescriptor,
       .hooks = {.set_defaults = default_binding<rbac::RoleBinding>,
                 .validate_create = validate_role_binding_create,
                 .validate_update = validate_role_binding_update,
                 .row = role_binding_row},
       .columns = kBindingColumns,
       .create_on_update = true},
      {.stored = &rbac::ClusterRoleBinding::kDescriptor,
       .hooks = {.set_defaults = default_binding<rbac::ClusterRoleBinding>,
                 .validate_create = validate_cluster_role_binding_create,
                 .validate_update = validate_cluster_role_binding_update,
                 .row = cluster_role_binding_row},
       .columns = kBindingColumns,
       .create_on_update = true},
  };
  return kHooks;
}

}  // namespace dray::api
