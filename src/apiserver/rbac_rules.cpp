#include "apiserver/rbac_rules.h"

#include <algorithm>

#include "machinery/object.h"
#include "machinery/validate.h"

namespace dray::apiserver {
namespace {

bool has(const std::vector<std::string>& list, std::string_view value) { return std::ranges::find(list, value) != list.end(); }

bool applies(const rbac::Subject& subject, const User& user, std::string_view binding_namespace) {
  if (subject.kind == "User") return subject.name == user.name;
  if (subject.kind == "Group") return user.in(subject.name);
  if (subject.kind != "ServiceAccount") return false;
  const std::string_view space = subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  return !space.empty() && user.name == "system:serviceaccount:" + std::string(space) + ":" + subject.name;
}

bool path_matches(const std::string& pattern, std::string_view path) {
  if (pattern == "*" || pattern == path) return true;
  return pattern.ends_with('*') && path.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

bool resource_matches(const rbac::PolicyRule& rule, const Attributes& asked) {
  if (has(rule.resources, "*")) return true;
  if (asked.subresource.empty()) return has(rule.resources, asked.resource);
  return has(rule.resources, asked.resource + "/" + asked.subresource) || has(rule.resources, "*/" + asked.subresource);
}

std::string subject_text(const rbac::Subject& subject) {
  const std::string name = subject.kind == "ServiceAccount" ? subject.name + "/" + subject.namespace_ : subject.name;
  return subject.kind + " " + go_quoted(name);
}

}  // namespace

bool RbacRules::allows(const rbac::PolicyRule& rule, const Attributes& asked) {
  if (!has(rule.verbs, asked.verb) && !has(rule.verbs, "*")) return false;
  if (!asked.is_resource) {
    return std::ranges::any_of(rule.non_resource_urls, [&](const std::string& pattern) { return path_matches(pattern, asked.path); });
  }
  if (!has(rule.api_groups, asked.group) && !has(rule.api_groups, "*")) return false;
  if (!resource_matches(rule, asked)) return false;
  return rule.resource_names.empty() || has(rule.resource_names, asked.name);
}

std::shared_ptr<const RbacRules> RbacRules::read(const store::Store& store, const api::Registry& registry) {
  auto all = std::make_shared<RbacRules>();
  std::map<std::string, Rules> roles;  // "namespace/name", "/name"
  for (const ObjectPtr& object : store.list(registry.of<rbac::ClusterRole>()).items) {
    roles["/" + object->name()] = std::make_shared<const std::vector<rbac::PolicyRule>>(as<rbac::ClusterRole>(*object)->rules);
  }
  for (const ObjectPtr& object : store.list(registry.of<rbac::Role>()).items) {
    roles[object->namespace_() + "/" + object->name()] = std::make_shared<const std::vector<rbac::PolicyRule>>(as<rbac::Role>(*object)->rules);
  }
  const auto rules_of = [&](const rbac::RoleRef& ref, const std::string& space) {
    const auto found = roles.find((ref.kind == "Role" ? space : "") + "/" + ref.name);
    return found == roles.end() ? Rules() : found->second;
  };
  for (const ObjectPtr& object : store.list(registry.of<rbac::ClusterRoleBinding>()).items) {
    const auto& binding = *as<rbac::ClusterRoleBinding>(*object);
    if (Rules rules = rules_of(binding.role_ref, "")) {
      all->cluster_.push_back({"ClusterRoleBinding " + go_quoted(binding.name()) + " of ClusterRole " + go_quoted(binding.role_ref.name), binding.subjects, rules});
    }
  }
  for (const ObjectPtr& object : store.list(registry.of<rbac::RoleBinding>()).items) {
    const auto& binding = *as<rbac::RoleBinding>(*object);
    if (Rules rules = rules_of(binding.role_ref, binding.namespace_())) {
      all->by_namespace_[binding.namespace_()].push_back({"RoleBinding " + go_quoted(binding.name() + "/" + binding.namespace_()) + " of " + binding.role_ref.kind + " " + go_quoted(binding.role_ref.name), binding.subjects, rules});
    }
  }
  return all;
}

Decision RbacRules::decide(const User& user, const Attributes& asked) const {
  const auto decide_by = [&](const std::vector<Binding>& bindings, std::string_view space) -> Decision {
    for (const Binding& binding : bindings) {
      for (const rbac::Subject& subject : binding.subjects) {
        if (!applies(subject, user, space)) continue;
        if (std::ranges::any_of(*binding.rules, [&](const auto& rule) { return allows(rule, asked); })) {
          return {true, "RBAC: allowed by " + binding.text + " to " + subject_text(subject)};
        }
        break;
      }
    }
    return {};
  };
  if (Decision decision = decide_by(cluster_, ""); decision.allowed) return decision;
  if (!asked.is_resource || asked.namespace_.empty()) return {};
  const auto found = by_namespace_.find(asked.namespace_);
  return found == by_namespace_.end() ? Decision{} : decide_by(found->second, asked.namespace_);
}

void RbacRules::each(const User& user, std::string_view space, const std::function<void(const rbac::PolicyRule&)>& visit) const {
  const auto each_of = [&](const std::vector<Binding>& bindings, std::string_view in) {
    for (const Binding& binding : bindings) {
      if (std::ranges::none_of(binding.subjects, [&](const auto& subject) { return applies(subject, user, in); })) continue;
      for (const rbac::PolicyRule& rule : *binding.rules) visit(rule);
    }
  };
  each_of(cluster_, "");
  if (const auto found = by_namespace_.find(space); found != by_namespace_.end()) each_of(found->second, space);
}

}  // namespace dray::apiserver
