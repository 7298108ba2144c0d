/// Validation of a claim's spec, which a template has, too, and what its status may refer to.
#pragma once

#include <map>
#include <set>
#include <string>

#include "api/kind.h"
#include "api/resource_v1.h"
#include "machinery/validate.h"

namespace dray::api {

/// The requests of a claim by name, each with the names of its alternatives.
class RequestNames {
 public:
  explicit RequestNames(const resource::DeviceClaim& claim);
  /// "request" or "request/alternative".
  [[nodiscard]] bool has(std::string_view reference) const;
  /// A reference of that form, to a request that exists.
  void validate_reference(std::string_view reference, const FieldPath& at, Causes& out) const;
  /// Of a list of at most 32; their number and that they differ is said declaratively.
  void validate_references(const std::vector<std::string>& references, const FieldPath& at,
                           Causes& out) const;

 private:
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> names_;
};

/// A new spec, at `at`.
void validate_claim_spec(const HookContext& context, const resource::ResourceClaimSpec& spec,
                         const FieldPath& at, Causes& out);

/// adminAccess needs a label on the namespace. The cause is at spec.devices..., also in a template.
void validate_admin_access(const HookContext& context, const resource::ResourceClaimSpec& spec,
                           const std::string& namespace_, Causes& out);
/// The same, of a first allocation with it.
void validate_admin_access_of_status(const HookContext& context, const resource::ResourceClaim& fresh,
                                     const resource::ResourceClaim& old, Causes& out);

}  // namespace dray::api
