/// Roles and their bindings.
#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/kind_validate.h"
#include "api/rbac_v1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

void validate_rules(const std::vector<rbac::PolicyRule>& rules, bool namespaced, Causes& out) {
  const FieldPath at("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const rbac::PolicyRule& rule = rules[i];
    const FieldPath here = at / i;
    if (rule.verbs.empty()) out.required(here / "verbs", "verbs must contain at least one value");
    if (!rule.non_resource_urls.empty()) {
      const FieldPath urls = here / "nonResourceURLs";
      if (namespaced)
        out.invalid(urls, rule.non_resource_urls, "namespaced rules cannot apply to non-resource URLs");
      if (!rule.api_groups.empty() || !rule.resources.empty() || !rule.resource_names.empty())
        out.invalid(urls, rule.non_resource_urls,
                    "rules cannot apply to both regular resources and non-resource URLs");
      continue;
    }
    if (rule.api_groups.empty()) out.required(here / "apiGroups", "resource rules must supply at least one api group");
    if (rule.resources.empty()) out.required(here / "resources", "resource rules must supply at least one resource");
  }
}

void validate_aggregation(const rbac::ClusterRole& role, Causes& out) {
  if (!role.aggregation_rule) return;
  const FieldPath at("aggregationRule.clusterRoleSelectors");
  const auto& selectors = role.aggregation_rule->cluster_role_selectors;
  if (selectors.empty())
    out.required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (std::size_t i = 0; i < selectors.size(); ++i) validate_label_selector(selectors[i], at / i, out);
}

void validate_subject(const rbac::Subject& subject, bool namespaced, const FieldPath& at, Causes& out) {
  if (subject.name.empty()) out.required(at / "name");
  if (subject.kind == "ServiceAccount") {
    if (!subject.name.empty()) validate_name(check_name_is_subdomain, subject.name, at / "name", out);
    if (!subject.api_group.empty()) out.not_supported(at / "apiGroup", subject.api_group, {""});
    if (!namespaced && subject.namespace_.empty()) out.required(at / "namespace");
  } else if (subject.kind == "User" || subject.kind == "Group") {
    if (subject.api_group != kGroup) out.not_supported(at / "apiGroup", subject.api_group, {kGroup});
  } else {
    out.not_supported(at / "kind", subject.kind, {"ServiceAccount", "User", "Group"});
  }
}

template <class Binding>
void validate_binding(const Binding& binding, bool namespaced, Causes& out) {
  const FieldPath at("roleRef"), subjects("subjects");
  const rbac::RoleRef& role = binding.role_ref;
  if (role.api_group != kGroup) out.not_supported(at / "apiGroup", role.api_group, {kGroup});
  if (namespaced && role.kind != "Role" && role.kind != "ClusterRole")
    out.not_supported(at / "kind", role.kind, {"Role", "ClusterRole"});
  if (!namespaced && role.kind != "ClusterRole") out.not_supported(at / "kind", role.kind, {"ClusterRole"});
  if (role.name.empty()) {
    out.required(at / "name");
  } else {
    out.invalid_each(at / "name", role.name, check_path_segment_name(role.name));
  }
  for (std::size_t i = 0; i < binding.subjects.size(); ++i)
    validate_subject(binding.subjects[i], namespaced, subjects / i, out);
}

void validate_named(const Object& object, bool namespaced, Causes& out) {
  validate_object_metadata(object.metadata, namespaced, check_path_segment_name, FieldPath("metadata"), out);
}

template <class Binding>
void validate_same_role(const Binding& fresh, const Binding& old, Causes& out) {
  if (!equal(fresh.role_ref, old.role_ref))
    out.invalid(FieldPath("roleRef"), bad_struct(fresh.role_ref), Causes::kFieldImmutable);
}

}  // namespace

void validate_role_create(const HookContext&, const Object& object, Causes& out) {
  validate_named(object, true, out);
  validate_rules(cast<rbac::Role>(object).rules, true, out);
}

void validate_role_update(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_rules(cast<rbac::Role>(fresh).rules, true, out);
}

void validate_cluster_role_create(const HookContext&, const Object& object, Causes& out) {
  validate_named(object, false, out);
  validate_rules(cast<rbac::ClusterRole>(object).rules, false, out);
  validate_aggregation(cast<rbac::ClusterRole>(object), out);
}

void validate_cluster_role_update(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_rules(cast<rbac::ClusterRole>(fresh).rules, false, out);
  validate_aggregation(cast<rbac::ClusterRole>(fresh), out);
}

void validate_role_binding_create(const HookContext&, const Object& object, Causes& out) {
  validate_named(object, true, out);
  validate_binding(cast<rbac::RoleBinding>(object), true, out);
}

void validate_role_binding_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_binding(cast<rbac::RoleBinding>(fresh), true, out);
  validate_same_role(cast<rbac::RoleBinding>(fresh), cast<rbac::RoleBinding>(old), out);
}

void validate_cluster_role_binding_create(const HookContext&, const Object& object, Causes& out) {
  validate_named(object, false, out);
  validate_binding(cast<rbac::ClusterRoleBinding>(object), false, out);
}

void validate_cluster_role_binding_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_binding(cast<rbac::ClusterRoleBinding>(fresh), false, out);
  validate_same_role(cast<rbac::ClusterRoleBinding>(fresh), cast<rbac::ClusterRoleBinding>(old), out);
}

}  // namespace dray::api
