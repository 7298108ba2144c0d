/// Who may do what: system:masters everything, others by RBAC rules. The rules are an immutable snapshot
/// that the control plane publishes at each change; thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request_info.h"
#include "apiserver/user.h"
#include "base/error.h"

namespace dray::rbac {
struct PolicyRule;
}

namespace dray::apiserver {

class RbacRules;

/// What is asked for; `path` counts where there is no resource.
struct Attributes {
  std::string verb, group, version, resource, subresource, namespace_, name, path;
  bool is_resource = false;
};
[[nodiscard]] Attributes attributes_of(const RequestInfo& info);

struct Decision {
  bool allowed = false;
  std::string reason;  // "RBAC: allowed by ClusterRoleBinding ..." where allowed by a rule
};

class Authorization {
 public:
  Authorization();
  ~Authorization();

  [[nodiscard]] Decision decide(const User& user, const Attributes& asked) const;
  /// Error kForbidden with Kubernetes' text.
  [[nodiscard]] Result<> check(const User& user, const Attributes& asked) const;

  /// Every rule that applies to the user in a namespace, those that everybody has first.
  void each_rule(const User& user, std::string_view namespace_, const std::function<void(const rbac::PolicyRule&)>& visit) const;

  void publish(std::shared_ptr<const RbacRules> rules);
  [[nodiscard]] std::shared_ptr<const RbacRules> rules() const { return rules_.load(); }

 private:
  std::atomic<std::shared_ptr<const RbacRules>> rules_;
};

[[nodiscard]] Error forbidden_error(const User& user, const Attributes& asked, std::string_view why);

}  // namespace dray::apiserver
