#include "apiserver/authorization.h"

#include "apiserver/rbac_rules.h"

namespace dray::apiserver {

Attributes attributes_of(const RequestInfo& info) {
  return {info.verb, info.group, info.version, info.resource, info.subresource, info.namespace_, info.name, info.path, info.is_resource};
}

Authorization::Authorization() = default;
Authorization::~Authorization() = default;

void Authorization::publish(std::shared_ptr<const RbacRules> rules) { rules_.store(std::move(rules)); }

namespace {

/// What everybody may do who has proved an identity: ask about oneself, read discovery.
/// Source: system:basic-user, system:discovery.
std::vector<rbac::PolicyRule> make_basic_rules() {
  std::vector<rbac::PolicyRule> rules(3);
  rules[0].verbs = rules[1].verbs = {"create"};
  rules[0].api_groups = {"authorization.k8s.io"};
  rules[0].resources = {"selfsubjectaccessreviews", "selfsubjectrulesreviews"};
  rules[1].api_groups = {"authentication.k8s.io"};
  rules[1].resources = {"selfsubjectreviews"};
  rules[2].verbs = {"get"};
  rules[2].non_resource_urls = {"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"};
  return rules;
}

const std::vector<rbac::PolicyRule>& basic_rules() {
  static const std::vector<rbac::PolicyRule> kRules = make_basic_rules();
  return kRules;
}

/// What anybody may do. Source: system:public-info-viewer.
bool is_public(const Attributes& asked) {
  return !asked.is_resource && asked.verb == "get" &&
         (asked.path == "/healthz" || asked.path == "/livez" || asked.path == "/readyz" || asked.path == "/version");
}

}  // namespace

Decision Authorization::decide(const User& user, const Attributes& asked) const {
  if (user.in("system:masters")) return {true, ""};
  if (is_public(asked)) return {true, "RBAC: allowed by ClusterRoleBinding \"system:public-info-viewer\" of ClusterRole \"system:public-info-viewer\" to Group \"system:unauthenticated\""};
  if (user.in("system:authenticated")) {
    for (const rbac::PolicyRule& rule : basic_rules()) {
      if (RbacRules::allows(rule, asked)) return {true, "RBAC: allowed by ClusterRoleBinding \"system:basic-user\" of ClusterRole \"system:basic-user\" to Group \"system:authenticated\""};
    }
  }
  const auto rules = rules_.load();
  return rules ? rules->decide(user, asked) : Decision{};
}

void Authorization::each_rule(const User& user, std::string_view space, const std::function<void(const rbac::PolicyRule&)>& visit) const {
  if (user.in("system:masters")) {
    rbac::PolicyRule all;
    all.verbs = all.api_groups = all.resources = {"*"};
    visit(all);
    rbac::PolicyRule paths;
    paths.verbs = paths.non_resource_urls = {"*"};
    visit(paths);
  }
  if (user.in("system:authenticated")) std::ranges::for_each(basic_rules(), visit);
  if (const auto rules = rules_.load()) rules->each(user, space, visit);
}

Result<> Authorization::check(const User& user, const Attributes& asked) const {
  if (decide(user, asked).allowed) return {};
  return fail(forbidden_error(user, asked, ""));
}

Error forbidden_error(const User& user, const Attributes& asked, std::string_view why) {
  Error error{Code::kForbidden, "", {}, "", "", "", "", 0};
  const std::string who = "User \"" + user.name + "\" cannot " + asked.verb;
  if (!asked.is_resource) {
    error.message = "forbidden: " + who + " path \"" + asked.path + "\"";
  } else {
    const std::string plural = asked.group.empty() ? asked.resource : asked.resource + "." + asked.group;
    const std::string full = asked.subresource.empty() ? asked.resource : asked.resource + "/" + asked.subresource;
    error.message = plural + (asked.name.empty() ? "" : " \"" + asked.name + "\"") + " is forbidden: " + who + " resource \"" + full +
                    "\" in API group \"" + asked.group + "\"" +
                    (asked.namespace_.empty() ? " at the cluster scope" : " in the namespace \"" + asked.namespace_ + "\"");
    error.group = asked.group;
    error.kind = asked.resource;
    error.name = asked.name;
  }
  if (!why.empty()) error.message += ": " + std::string(why);
  return error;
}

}  // namespace dray::apiserver
