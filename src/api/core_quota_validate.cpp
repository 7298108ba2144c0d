/// ResourceQuotas and LimitRanges.
#include <algorithm>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/kind_validate.h"

namespace dray::api {
namespace {

constexpr std::string_view kQuotaResources[] = {
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.storage",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "persistentvolumeclaims",
    "configmaps",
    "services.nodeports",
    "services.loadbalancers",
};
constexpr std::string_view kScopes[] = {"Terminating",     "NotTerminating", "BestEffort",
                                        "NotBestEffort",   "PriorityClass",  "CrossNamespacePodAffinity",
                                        "VolumeAttributesClass"};
constexpr std::string_view kComputeResources[] = {"cpu",          "memory",     "requests.cpu", "requests.memory",
                                                  "limits.cpu",   "limits.memory", "pods"};

template <std::size_t n>
bool contains(const std::string_view (&list)[n], std::string_view text) {
  return std::ranges::find(list, text) != std::end(list);
}

void validate_quota_name(std::string_view name, const FieldPath& at, Causes& out) {
  validate_resource_name(name, at, out);
  if (name.find('/') != std::string_view::npos) return;
  const bool huge = is_huge_page_resource(name) || name.starts_with("requests.hugepages-");
  if (!contains(kQuotaResources, name) && !huge && !name.starts_with("count/"))
    out.invalid(at, name, "must be a standard resource for quota");
}

void validate_list(const ResourceList& list, const FieldPath& at, Causes& out) {
  for (const auto& [name, value] : list) {
    validate_quota_name(name, at[name], out);
    validate_resource_quantity(name, value, at[name], out);
  }
}

/// What a scope can count: pods' own resources, or anything but them.
bool scope_fits(std::string_view scope, std::string_view resource) {
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") return resource == "persistentvolumeclaims" || resource == "requests.storage";
  return contains(kComputeResources, resource) || resource == "ephemeral-storage" ||
         resource == "requests.ephemeral-storage" || resource == "limits.ephemeral-storage" ||
         is_huge_page_resource(resource) || resource.starts_with("requests.hugepages-");
}

void validate_scopes(const core::ResourceQuotaSpec& spec, const FieldPath& at, Causes& out) {
  const FieldPath here = at / "scopes";
  Names seen;
  for (const std::string& scope : spec.scopes) {
    if (!contains(kScopes, scope)) out.invalid(here, spec.scopes, "unsupported scope");
    for (const auto& [name, value] : spec.hard)
      if (contains(kQuotaResources, name) && !scope_fits(scope, name))
        out.invalid(here, spec.scopes, "unsupported scope applied to resource");
    seen.insert(scope);
  }
  if ((seen.contains("BestEffort") && seen.contains("NotBestEffort")) ||
      (seen.contains("Terminating") && seen.contains("NotTerminating")))
    out.invalid(here, spec.scopes, "conflicting scopes");
}

void validate_scope_selector(const core::ResourceQuotaSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.scope_selector) return;
  const auto& expressions = spec.scope_selector->match_expressions;
  for (const auto& expression : expressions) {
    const FieldPath here = at / "scopeSelector" / "matchExpressions";
    if (!contains(kScopes, expression.scope_name))
      out.invalid(here / "scopeName", expression.scope_name, "unsupported scope");
    const bool listed = expression.operator_ == "In" || expression.operator_ == "NotIn";
    const bool bare = expression.operator_ == "Exists" || expression.operator_ == "DoesNotExist";
    if (listed && expression.values.empty())
      out.required(here / "values", "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    if (bare && !expression.values.empty())
      out.invalid(here / "values", expression.values,
                  "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    if (!listed && !bare) out.invalid(here / "operator", expression.operator_, "not a valid selector operator");
  }
}

void validate_spec(const core::ResourceQuotaSpec& spec, Causes& out) {
  const FieldPath at("spec");
  validate_list(spec.hard, at / "hard", out);
  validate_scopes(spec, at, out);
  validate_scope_selector(spec, at, out);
}

using Item = core::LimitRangeItem;

void validate_item_type(const std::string& type, const FieldPath& at, Causes& out) {
  const Problems problems = check_qualified_name(type);
  out.invalid_each(at, type, problems);
  const bool standard = type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
  if (problems.empty() && !standard && type.find('/') == std::string::npos)
    out.invalid(at, type, "must be a standard limit type or fully qualified");
}

void validate_item_names(const Item& item, const ResourceList& list, const FieldPath& at, Causes& out) {
  const bool of_container = item.type == "Pod" || item.type == "Container";
  for (const auto& [name, value] : list) {
    if (!validate_resource_name(name, at[name], out) || !of_container) continue;
    const bool standard = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (name.find('/') == std::string::npos && !standard && !is_huge_page_resource(name))
      out.invalid(at[name], name, "must be a standard resource for containers");
  }
}

/// Null if the list does not have it.
const Quantity* quantity_of(const ResourceList& list, const std::string& name) {
  const auto found = list.find(name);
  return found == list.end() ? nullptr : &found->second;
}

void validate_bounds(const Item& item, const std::string& name, const FieldPath& at, Causes& out) {
  const Quantity* least = quantity_of(item.min, name);
  const Quantity* most = quantity_of(item.max, name);
  const bool of_pod = item.type == "Pod";
  const Quantity* limit = of_pod ? nullptr : quantity_of(item.default_, name);
  const Quantity* request = of_pod ? nullptr : quantity_of(item.default_request, name);
  const Quantity* ratio = quantity_of(item.max_limit_request_ratio, name);
  const auto order = [&](const Quantity* low, const char* low_name, const Quantity* high, const char* high_name,
                         const char* field, const Quantity* shown) {
    if (low == nullptr || high == nullptr || *low <= *high) return;
    const FieldPath list = at / field;
    out.invalid(list[name], *shown, fmt::format("{} value {} is greater than {} value {}", low_name, low->str(),
                                                high_name, high->str()));
  };
  order(least, "min", most, "max", "min", least);
  order(least, "min", request, "default request", "defaultRequest", request);
  order(request, "default request", most, "max", "defaultRequest", request);
  order(request, "default request", limit, "default limit", "defaultRequest", request);
  order(least, "min", limit, "default", "default", least);
  order(limit, "default", most, "max", "default", most);
  const FieldPath ratios = at / "maxLimitRequestRatio", requests = at / "defaultRequest";
  if (ratio != nullptr && *ratio < Quantity::of(1))
    out.invalid(ratios[name], *ratio, fmt::format("ratio {} is less than 1", ratio->str()));
  if (ratio != nullptr && least != nullptr && most != nullptr && !least->is_zero()) {
    const double bound = most->as_double() / least->as_double();
    if (ratio->as_double() > bound)
      out.invalid(ratios[name], *ratio, fmt::format("ratio {} is greater than max/min = {:f}", ratio->str(), bound));
  }
  if (!is_overcommit_allowed(name) && limit != nullptr && request != nullptr && *limit != *request)
    out.invalid(requests[name], *request,
                fmt::format("default value {} must equal to defaultRequest value {} in {}", limit->str(),
                            request->str(), name));
}

void validate_item(const Item& item, const FieldPath& at, Causes& out) {
  validate_item_names(item, item.max, at / "max", out);
  validate_item_names(item, item.min, at / "min", out);
  if (item.type == "Pod") {
    static constexpr std::string_view kNotOfPods = "may not be specified when `type` is 'Pod'";
    if (!item.default_.empty()) out.forbidden(at / "default", kNotOfPods);
    if (!item.default_request.empty()) out.forbidden(at / "defaultRequest", kNotOfPods);
  } else {
    validate_item_names(item, item.default_, at / "default", out);
    validate_item_names(item, item.default_request, at / "defaultRequest", out);
  }
  if (item.type == "PersistentVolumeClaim" && !item.min.contains("storage") && !item.max.contains("storage"))
    out.required(at / "limits", "either minimum or maximum storage value is required, but neither was provided");
  validate_item_names(item, item.max_limit_request_ratio, at / "maxLimitRequestRatio", out);
  Names names;
  for (const ResourceList* list : {&item.max, &item.min, &item.default_, &item.default_request,
                                   &item.max_limit_request_ratio})
    for (const auto& [name, value] : *list) names.insert(name);
  for (const std::string& name : names) validate_bounds(item, name, at, out);
}

void validate_limits(const core::LimitRange& range, Causes& out) {
  const FieldPath at("spec.limits");
  Names types;
  for (std::size_t i = 0; i < range.spec.limits.size(); ++i) {
    const Item& item = range.spec.limits[i];
    const FieldPath here = at / i;
    validate_item_type(item.type, here / "type", out);
    if (!types.insert(item.type).second) out.duplicate(here / "type", item.type);
    validate_item(item, here, out);
  }
}

}  // namespace

void validate_quota_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_spec(cast<core::ResourceQuota>(object).spec, out);
}

void validate_quota_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::ResourceQuota>(object).spec;
  const auto& old = cast<core::ResourceQuota>(stored).spec;
  validate_spec(fresh, out);
  if (Names(fresh.scopes.begin(), fresh.scopes.end()) != Names(old.scopes.begin(), old.scopes.end()))
    out.invalid(FieldPath("spec.scopes"), fresh.scopes, Causes::kFieldImmutable);
}

void validate_quota_status(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  const FieldPath at("status");
  const auto& status = cast<core::ResourceQuota>(fresh).status;
  validate_list(status.hard, at / "hard", out);
  validate_list(status.used, at / "used", out);
}

void validate_limit_range_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_limits(cast<core::LimitRange>(object), out);
}

void validate_limit_range_update(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_limits(cast<core::LimitRange>(fresh), out);
}

}  // namespace dray::api
