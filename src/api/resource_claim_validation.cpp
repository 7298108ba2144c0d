#include "api/resource_claim_validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/core_v1.h"
#include "api/feature_gates.h"
#include "api/hooks.h"
#include "api/resource_parts.h"

namespace dray::api {
namespace {

constexpr std::string_view kUnknownRequest =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by "
    "'/'";
constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";

/// Which attributes constraints use, by the request (or request/alternative) that they name; the empty
/// name stands for all.
class ConstraintAttributes {
 public:
  explicit ConstraintAttributes(const std::vector<resource::DeviceConstraint>& constraints) {
    for (const resource::DeviceConstraint& constraint : constraints) {
      const auto& attribute =
          constraint.match_attribute ? constraint.match_attribute : constraint.distinct_attribute;
      if (!attribute) continue;
      if (constraint.requests.empty()) used_[""].insert(*attribute);
      for (const std::string& request : constraint.requests) used_[request].insert(*attribute);
    }
  }
  [[nodiscard]] bool uses(const std::string& attribute, const std::string& request) const {
    return has("", attribute) || has(request, attribute) ||
           has(request.substr(0, request.find('/')), attribute);
  }

 private:
  [[nodiscard]] bool has(const std::string& request, const std::string& attribute) const {
    const auto found = used_.find(request);
    return found != used_.end() && found->second.contains(attribute);
  }
  std::map<std::string, std::set<std::string>> used_;
};

/// Checks a claim's requests; sums what their derived attributes cost.
class RequestValidator {
 public:
  RequestValidator(const HookContext& context, const resource::DeviceClaim& claim, Causes& out)
      : context_(context), used_(claim.constraints), out_(out) {}

  void check(const resource::DeviceRequest& request, const FieldPath& at) {
    out_.invalid_each(at / "name", request.name, check_dns1123_label(request.name));
    const bool alternatives = !request.first_available.empty();
    if (!request.exactly && !alternatives) {
      out_.required(at, "exactly one of `exactly` or `firstAvailable` is required");
    } else if (request.exactly && alternatives) {
      out_.invalid(at, BadValue::raw("null"),
                   "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set");
    } else if (request.exactly) {
      const FieldPath exactly = at / "exactly";
      check_class_name(request.exactly->device_class_name, exactly / "deviceClassName");
      check_shared(*request.exactly, request.name, exactly);
    } else {
      check_alternatives(request, at / "firstAvailable");
    }
  }
  [[nodiscard]] std::uint64_t derived_cost() const { return derived_cost_; }

 private:
  void check_alternatives(const resource::DeviceRequest& request, const FieldPath& at) {
    if (request.first_available.size() > kSubRequestsMax) return;  // said declaratively
    for (std::size_t i = 0; i < request.first_available.size(); ++i) {
      const resource::DeviceSubRequest& sub = request.first_available[i];
      const FieldPath here = at / i;
      out_.invalid_each(here / "name", sub.name, check_dns1123_label(sub.name));
      check_shared(sub, request.name + "/" + sub.name, here);
    }
  }

  void check_class_name(const std::string& name, const FieldPath& at) {
    if (name.empty()) return out_.required(at);
    out_.invalid_each(at, name, check_dns1123_subdomain(name));
  }

  /// What `exactly` and an alternative have in common.
  template <class Request>
  void check_shared(const Request& request, const std::string& name, const FieldPath& at) {
    validate_selectors(context_, request.selectors, false, at / "selectors", out_);
    check_derived(request.derived_attributes, name, at / "derivedAttributes");
    check_count(request.allocation_mode, request.count, at / "count");
    validate_tolerations(request.tolerations, at / "tolerations", out_);
  }

  void check_count(const std::string& mode, std::int64_t count, const FieldPath& at) {
    if (mode == "All" && count != 0) {
      out_.invalid(at, count, "must not be specified when allocationMode is 'All'");
    }
    if (mode == "ExactCount" && count <= 0) out_.invalid(at, count, "must be greater than zero");
  }

  void check_derived(const std::vector<resource::DeviceDerivedAttribute>& attributes,
                     const std::string& request, const FieldPath& at) {
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const resource::DeviceDerivedAttribute& attribute = attributes[i];
      if (!attribute.name.empty() && !used_.uses(attribute.name, request)) {
        out_.invalid(at / i / "name", attribute.name,
                     "must be referenced by at least one matchAttribute or distinctAttribute constraint "
                     "targeting this request");
      }
      if (attribute.expression.empty()) continue;
      derived_cost_ += validate_expression(context_, attribute.expression, true, at / i / "expression", out_);
    }
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      if (!seen.insert(attributes[i].name).second) out_.duplicate(at / i, attributes[i].name);
    }
  }

  const HookContext& context_;
  ConstraintAttributes used_;
  Causes& out_;
  std::uint64_t derived_cost_ = 0;
};

void validate_constraint(const HookContext& context, const resource::DeviceConstraint& constraint,
                         const RequestNames& names, const FieldPath& at, Causes& out) {
  names.validate_references(constraint.requests, at / "requests", out);
  if (constraint.match_attribute || constraint.distinct_attribute) return;
  if (context.gates.enabled("DRAConsumableCapacity")) {
    // Not what is wrong, but what Kubernetes says.
    out.required(at, R"(exactly one of "matchAttribute" or "distinctAttribute" is required, but )"
                     "multiple fields are set");
  } else {
    out.required(at / "matchAttribute");
  }
}

void require_admin_label(const HookContext& context, const std::string& namespace_, const FieldPath& at,
                         Causes& out) {
  const ObjectPtr found =
      context.find ? context.find(core::Namespace::kDescriptor, "", namespace_) : nullptr;
  if (!found) {
    return out.internal(at, fmt::format("could not retrieve namespace to verify admin access: namespaces "
                                        "\"{}\" not found",
                                        namespace_));
  }
  const auto label = found->metadata.labels.find(std::string(kAdminAccessLabel));
  if (label != found->metadata.labels.end() && label->second == "true") return;
  out.forbidden(at, fmt::format("admin access to devices requires the `{}: true` label on the containing "
                                "namespace",
                                kAdminAccessLabel));
}

/// The first result with admin access, or the number of results.
std::size_t first_admin_result(const resource::ResourceClaim& claim) {
  if (!claim.status.allocation) return 0;
  const auto& results = claim.status.allocation->devices.results;
  return static_cast<std::size_t>(
      std::find_if(results.begin(), results.end(),
                   [](const auto& result) { return result.admin_access.value_or(false); }) -
      results.begin());
}

bool has_admin_result(const resource::ResourceClaim& claim) {
  return claim.status.allocation &&
         first_admin_result(claim) < claim.status.allocation->devices.results.size();
}

}  // namespace

RequestNames::RequestNames(const resource::DeviceClaim& claim) {
  for (const resource::DeviceRequest& request : claim.requests) {
    auto& alternatives = names_[request.name];
    for (const resource::DeviceSubRequest& sub : request.first_available) alternatives.insert(sub.name);
  }
}

bool RequestNames::has(std::string_view reference) const {
  const std::size_t slash = reference.find('/');
  const auto found = names_.find(reference.substr(0, slash));
  if (found == names_.end()) return false;
  return slash == std::string_view::npos || found->second.contains(reference.substr(slash + 1));
}

void RequestNames::validate_reference(std::string_view reference, const FieldPath& at,
                                      Causes& out) const {
  const std::size_t slash = reference.find('/');
  if (std::count(reference.begin(), reference.end(), '/') > 1) {
    return out.invalid(at, reference, kUnknownRequest);
  }
  const std::string_view request = reference.substr(0, slash);
  out.invalid_each(at, request, check_dns1123_label(request));
  if (slash != std::string_view::npos) {
    const std::string_view sub = reference.substr(slash + 1);
    out.invalid_each(at, sub, check_dns1123_label(sub));
  }
  if (!has(reference)) out.invalid(at, reference, kUnknownRequest);
}

void RequestNames::validate_references(const std::vector<std::string>& references, const FieldPath& at,
                                       Causes& out) const {
  if (references.size() > kRequestsMax) return;
  for (std::size_t i = 0; i < references.size(); ++i) validate_reference(references[i], at / i, out);
}

void validate_claim_spec(const HookContext& context, const resource::ResourceClaimSpec& spec,
                         const FieldPath& at, Causes& out) {
  const resource::DeviceClaim& claim = spec.devices;
  const RequestNames names(claim);
  const FieldPath devices = at / "devices", requests = devices / "requests";
  const FieldPath constraints = devices / "constraints", config = devices / "config";
  RequestValidator validator(context, claim, out);
  // Lists that are too long are refused declaratively, and nobody looks into them.
  for (std::size_t i = 0; claim.requests.size() <= kRequestsMax && i < claim.requests.size(); ++i) {
    validator.check(claim.requests[i], requests / i);
  }
  for (std::size_t i = 0; claim.constraints.size() <= kConstraintsMax && i < claim.constraints.size(); ++i) {
    validate_constraint(context, claim.constraints[i], names, constraints / i, out);
  }
  for (std::size_t i = 0; claim.config.size() <= kConfigMax && i < claim.config.size(); ++i) {
    names.validate_references(claim.config[i].requests, config / i / "requests", out);
    validate_device_configuration(claim.config[i].device_configuration, false, config / i, out);
  }
  if (validator.derived_cost() > kExpressionCostMax) {
    out.forbidden(devices, "too complex, total cost of derived attribute CEL expressions in the claim "
                           "exceeds cost limit");
  }
}

void validate_admin_access(const HookContext& context, const resource::ResourceClaimSpec& spec,
                           const std::string& namespace_, Causes& out) {
  const FieldPath requests = FieldPath("spec") / "devices" / "requests";
  for (std::size_t i = 0; i < spec.devices.requests.size(); ++i) {
    const auto& exactly = spec.devices.requests[i].exactly;
    if (!exactly || !exactly->admin_access.value_or(false)) continue;
    return require_admin_label(context, namespace_, requests / i / "adminAccess", out);
  }
}

void validate_admin_access_of_status(const HookContext& context, const resource::ResourceClaim& fresh,
                                     const resource::ResourceClaim& old, Causes& out) {
  if (has_admin_result(old) || !has_admin_result(fresh)) return;
  const FieldPath results = FieldPath("status") / "allocation" / "devices" / "results";
  require_admin_label(context, fresh.metadata.namespace_,
                      results / first_admin_result(fresh) / "adminAccess", out);
}

}  // namespace dray::api
