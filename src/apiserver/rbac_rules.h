/// RBAC: roles and bindings compiled for lookup. Immutable.
/// Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/authorization.h"
#include "api/rbac_v1.h"
#include "store/store.h"

namespace dray::apiserver {

class RbacRules {
 public:
  using Rules = std::shared_ptr<const std::vector<rbac::PolicyRule>>;

  /// From the four kinds in the store. Executor.
  [[nodiscard]] static std::shared_ptr<const RbacRules> read(const store::Store& store, const api::Registry& registry);

  [[nodiscard]] static bool allows(const rbac::PolicyRule& rule, const Attributes& asked);
  [[nodiscard]] Decision decide(const User& user, const Attributes& asked) const;
  /// Calls `visit` for every rule that applies to the user in the namespace ("": cluster-wide only).
  void each(const User& user, std::string_view namespace_,
            const std::function<void(const rbac::PolicyRule&)>& visit) const;

 private:
  struct Binding {
    std::string text;  // `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`, without the subject
    std::vector<rbac::Subject> subjects;
    Rules rules;
  };
  std::vector<Binding> cluster_;
  std::map<std::string, std::vector<Binding>, std::less<>> by_namespace_;
};

}  // namespace dray::apiserver
