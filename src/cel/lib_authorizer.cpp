#include "cel/libraries.h"

namespace dray::cel {
namespace {

/// Never reached with the types that it wants.
Val refuse(Eval&, std::span<const Val>) { return no_such_overload(); }

}  // namespace

void add_authorizer(Environment& env) {
  const auto type = [&](const char* name) {
    return env.pool.structure(std::string("kubernetes.authorization.") + name);
  };
  const TypeRef authorizer = type("Authorizer"), path = type("PathCheck"),
                group = type("GroupCheck"), resource = type("ResourceCheck"),
                decision = type("Decision"), text = &types::kString;
  env.declare("path").member("authorizer_path", {authorizer, text}, path, refuse);
  env.declare("group").member("authorizer_group", {authorizer, text}, group, refuse);
  env.declare("serviceAccount")
      .member("authorizer_serviceaccount", {authorizer, text, text}, authorizer, refuse);
  env.declare("resource").member("groupcheck_resource", {group, text}, resource, refuse);
  env.declare("subresource").member("resourcecheck_subresource", {resource, text}, resource, refuse);
  env.declare("namespace").member("resourcecheck_namespace", {resource, text}, resource, refuse);
  env.declare("name").member("resourcecheck_name", {resource, text}, resource, refuse);
  env.declare("check")
      .member("pathcheck_check", {path, text}, decision, refuse)
      .member("resourcecheck_check", {resource, text}, decision, refuse);
  env.declare("errored").member("decision_errored", {decision}, &types::kBool, refuse);
  env.declare("error").member("decision_error", {decision}, text, refuse);
  env.declare("allowed").member("decision_allowed", {decision}, &types::kBool, refuse);
  env.declare("reason").member("decision_reason", {decision}, text, refuse);
  env.declare("fieldSelector").member("authorizer_fieldselector", {resource, text}, resource, refuse);
  env.declare("labelSelector").member("authorizer_labelselector", {resource, text}, resource, refuse);
}

}  // namespace dray::cel
