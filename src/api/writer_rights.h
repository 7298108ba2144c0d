/// What validation asks about the rights of who writes. Some parts of an object need more than the right to
/// update it; who serves objects answers for them.
#pragma once

#include <string>
#include <string_view>

namespace dray::api {

/// A right on a resource of the kind that is written.
struct Right {
  std::string verb;
  std::string_view subresource;
  std::string_view namespace_;  // empty: in the whole cluster
  std::string_view name;        // empty: any
};

class WriterRights {
 public:
  virtual ~WriterRights() = default;
  /// Of the request: "update" or "patch".
  [[nodiscard]] virtual std::string_view verb() const = 0;
  /// The node on which the writer runs, if it is a service account that says so; empty otherwise.
  [[nodiscard]] virtual std::string_view node() const = 0;
  /// Why the writer lacks the right, as the API says it (`resourceclaims.resource.k8s.io is forbidden: User
  /// "x" cannot patch resource ...`); empty if it has it.
  [[nodiscard]] virtual std::string refusal(const Right& right) const = 0;
};

}  // namespace dray::api
