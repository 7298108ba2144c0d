/// Requests and limits of containers and pods.
#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "api/core_pod.h"
#include "api/core_validate.h"

namespace dray::api {
namespace {

constexpr std::string_view kHugePagesPrefix = "hugepages-";
constexpr std::string_view kStandardResources[] = {
    "cpu",           "memory",           "ephemeral-storage",      "requests.cpu",
    "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory",
    "limits.ephemeral-storage", "pods",  "resourcequotas",         "services",
    "replicationcontrollers", "secrets", "configmaps",             "persistentvolumeclaims",
    "storage",       "requests.storage", "services.nodeports",     "services.loadbalancers",
};
constexpr std::string_view kIntegerResources[] = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
};

using ResourceNameCheck = void (*)(std::string_view name, const FieldPath& at, Causes& out);

void validate_container_resource_name(std::string_view name, const FieldPath& at, Causes& out) {
  validate_resource_name(name, at, out);
  if (name.find('/') == std::string_view::npos) {
    if (name != "cpu" && name != "memory" && name != "ephemeral-storage" && !is_huge_page_resource(name))
      out.invalid(at, name, "must be a standard resource for containers");
  } else if (!is_native_resource(name) && !is_extended_resource(name)) {
    out.invalid(at, name, "doesn't follow extended resource name standard");
  }
}

void validate_pod_resource_name(std::string_view name, const FieldPath& at, Causes& out) {
  if (!validate_resource_name(name, at, out)) return;
  if (name != "cpu" && name != "memory" && !name.starts_with(kHugePagesPrefix))
    out.not_supported(at, name, {"cpu", "hugepages-", "memory"});
}

/// A multiple of the page's size, which is the name's suffix.
void validate_huge_page(std::string_view name, const Quantity& value, const FieldPath& at, Causes& out) {
  if (!is_huge_page_resource(name)) return;
  const auto page = Quantity::parse(name.substr(kHugePagesPrefix.size()));
  const std::int64_t size = page ? page->value() : 0;
  if (size == 0 || value.value() % size != 0)
    out.invalid(at, value.str(), fmt::format("{} is not positive integer multiple of {}", value.str(), name));
}

void validate_request(std::string_view name, const Quantity& request, const ResourceList& limits,
                      const FieldPath& requests_at, const FieldPath& limits_at, Causes& out) {
  const auto limit = limits.find(std::string(name));
  if (limit == limits.end()) {
    if (!is_overcommit_allowed(name))
      out.required(limits_at, "Limit must be set for non overcommitable resources");
    return;
  }
  if (request != limit->second && !is_overcommit_allowed(name)) {
    out.invalid(requests_at, request.str(), fmt::format("must be equal to {} limit of {}", name, limit->second.str()));
  } else if (request > limit->second) {
    out.invalid(requests_at, request.str(),
                fmt::format("must be less than or equal to {} limit of {}", name, limit->second.str()));
  }
}

void validate_claim_references(const std::vector<core::ResourceClaim>& references, const Names& claims,
                               const FieldPath& at, Causes& out) {
  Names seen;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto& [name, request] = references[i];
    const FieldPath here = at / i;
    if (name.empty()) {
      out.required(here);
      continue;
    }
    if (seen.contains(name)) {
      out.duplicate(here, name);
    } else {
      std::string key = name;
      if (!request.empty()) {
        validate_dns1123_label(request, here / "request", out);
        key += "/" + request;
      }
      if (seen.contains(key)) {
        out.duplicate(here, key);
      } else if (request.empty()) {
        for (const std::string& other : seen)
          if (other.starts_with(name + "/")) out.duplicate(here, name);
      }
      seen.insert(std::move(key));
    }
    if (claims.contains(name)) continue;
    std::string detail = "must be one of the names in pod.spec.resourceClaims";
    detail += claims.empty() ? " which is empty" : fmt::format(": {}", fmt::join(claims, ", "));
    out.add({here.str(), "FieldValueNotFound", fmt::format("Not found: {}: {}", go_quoted(name), detail), {}});
  }
}

void validate_requirements(const core::ResourceRequirements& resources, ResourceNameCheck check_name,
                           const Names& claims, const FieldPath& at, Causes& out) {
  const FieldPath limits_at = at / "limits", requests_at = at / "requests";
  bool computes = false, huge_pages = false;
  const auto note = [&](std::string_view name) {
    computes = computes || name == "cpu" || name == "memory";
    huge_pages = huge_pages || is_huge_page_resource(name);
  };
  for (const auto& [name, limit] : resources.limits) {
    const FieldPath here = limits_at[name];
    check_name(name, here, out);
    validate_resource_quantity(name, limit, here, out);
    validate_huge_page(name, limit, here, out);
    note(name);
  }
  for (const auto& [name, request] : resources.requests) {
    const FieldPath here = requests_at[name];
    check_name(name, here, out);
    validate_resource_quantity(name, request, here, out);
    validate_request(name, request, resources.limits, requests_at, limits_at, out);
    validate_huge_page(name, request, here, out);
    note(name);
  }
  if (huge_pages && !computes) out.forbidden(at, "HugePages require cpu or memory");
  validate_claim_references(resources.claims, claims, at / "claims", out);
}

/// What the pod asks for must cover what its containers ask for.
void validate_consistency(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  const auto& whole = *spec.resources;
  const FieldPath requests_at = at / "requests", limits_at = at / "limits";
  for (const auto& [name, sum] : aggregate_requests(spec)) {
    const auto given = whole.requests.find(name);
    if (given != whole.requests.end() && sum > given->second)
      out.invalid(requests_at[name], given->second.str(),
                  fmt::format("must be greater than or equal to aggregate container requests of {}", sum.str()));
  }
  for (const auto& [name, sum] : aggregate_limits(spec)) {
    const auto given = whole.limits.find(name);
    if (is_huge_page_resource(name) && given != whole.limits.end() && sum > given->second)
      out.invalid(limits_at[name], given->second.str(),
                  fmt::format("must be greater than or equal to aggregate container limits of {}", sum.str()));
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i)
    for (const auto& [name, limit] : spec.containers[i].resources.limits) {
      const auto given = whole.limits.find(name);
      if (given == whole.limits.end() || limit <= given->second) continue;
      const FieldPath container = at / "containers" / i;
      const FieldPath resource = container[name];
      out.invalid(resource / "limits", limit.str(),
                  fmt::format("must be less than or equal to pod limits of {}", given->second.str()));
    }
}

}  // namespace

bool is_huge_page_resource(std::string_view name) { return name.starts_with(kHugePagesPrefix); }

bool is_native_resource(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_extended_resource(std::string_view name) {
  if (is_native_resource(name) || name.starts_with("requests.")) return false;
  return check_qualified_name("requests." + std::string(name)).empty();
}

bool is_overcommit_allowed(std::string_view name) {
  return is_native_resource(name) && !is_huge_page_resource(name);
}

void validate_resource_quantity(std::string_view name, const Quantity& value, const FieldPath& at, Causes& out) {
  if (value.sign() < 0) out.invalid(at, value.str(), kNegative);
  const bool whole = std::ranges::find(kIntegerResources, name) != std::end(kIntegerResources);
  if ((whole || is_extended_resource(name)) && value.milli_value() % 1000 != 0) out.invalid(at, value, kNotInteger);
}

bool validate_resource_name(std::string_view name, const FieldPath& at, Causes& out) {
  const Problems problems = check_qualified_name(name);
  out.invalid_each(at, name, problems);
  if (!problems.empty()) return false;
  const bool standard = std::ranges::find(kStandardResources, name) != std::end(kStandardResources);
  const bool quota_huge = name.starts_with("requests.hugepages-");
  if (name.find('/') != std::string_view::npos || standard || quota_huge || is_huge_page_resource(name)) return true;
  out.invalid(at, name, "must be a standard resource type or fully qualified");
  return false;
}

void validate_container_resources(const core::ResourceRequirements& resources, const Names& claims,
                                  const FieldPath& at, Causes& out) {
  validate_requirements(resources, validate_container_resource_name, claims, at, out);
}

void validate_pod_resources(const core::PodSpec& spec, const Names& claims, const FieldPath& at, Causes& out) {
  if (!spec.resources) return;
  if (spec.os && spec.os->name == "windows") return out.forbidden(at, "may not be set for a windows pod");
  if (!spec.resources->claims.empty())
    out.forbidden(at / "claims", "claims may not be set for Resources at pod-level");
  validate_requirements(*spec.resources, validate_pod_resource_name, claims, at, out);
  validate_consistency(spec, at, out);
}

}  // namespace dray::api
