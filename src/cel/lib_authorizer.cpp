#include "cel/libraries.h"

namespace dray::cel {

void add_authorizer(Environment& env) {
  const auto type = [&](const char* name) {
    const TypeRef t = env.pool.structure(std::string("kubernetes.authorization.") + name);
    env.add_type(t);
    return t;
  };
  const TypeRef authorizer = type("Authorizer"), path = type("PathCheck"),
                group = type("GroupCheck"), resource = type("ResourceCheck"),
                decision = type("Decision"), text = &types::kString;
  env.declare("path").member("authorizer_path", {authorizer, text}, path);
  env.declare("group").member("authorizer_group", {authorizer, text}, group);
  env.declare("serviceAccount")
      .member("authorizer_serviceaccount", {authorizer, text, text}, authorizer);
  env.declare("resource").member("groupcheck_resource", {group, text}, resource);
  env.declare("subresource").member("resourcecheck_subresource", {resource, text}, resource);
  env.declare("namespace").member("resourcecheck_namespace", {resource, text}, resource);
  env.declare("name").member("resourcecheck_name", {resource, text}, resource);
  env.declare("check")
      .member("pathcheck_check", {path, text}, decision)
      .member("resourcecheck_check", {resource, text}, decision);
  env.declare("errored").member("decision_errored", {decision}, &types::kBool);
  env.declare("error").member("decision_error", {decision}, text);
  env.declare("allowed").member("decision_allowed", {decision}, &types::kBool);
  env.declare("reason").member("decision_reason", {decision}, text);
  env.declare("fieldSelector").member("authorizer_fieldselector", {resource, text}, resource);
  env.declare("labelSelector").member("authorizer_labelselector", {resource, text}, resource);
}

}  // namespace dray::cel
