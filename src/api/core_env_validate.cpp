/// Environment variables and what they may refer to.
#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/core.h>

#include "api/core_validate.h"
#include "api/feature_gates.h"

namespace dray::api {
namespace {

constexpr std::string_view kEnvFields[] = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs",
};
constexpr std::string_view kVolumeFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid",
};
/// What the API can select of a pod at all, for one of the two.
constexpr std::string_view kKnownFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.schedulerName",
    "spec.serviceAccountName", "spec.host",    "status.phase",  "status.hostIP",
    "status.hostIPs",       "status.podIP",    "status.podIPs",
};
constexpr std::string_view kResources[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory",
};
constexpr std::string_view kSizes[] = {"1",  "1k",  "1M",  "1G",  "1T",  "1P",  "1E",
                                       "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};

struct Subscripted {
  std::string_view path, subscript;
};
/// "metadata.labels['app']" split in two; nothing if there is no subscript.
std::optional<Subscripted> split_subscript(std::string_view path) {
  if (!path.ends_with("']")) return std::nullopt;
  const auto open = path.find("['");
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  return Subscripted{path.substr(0, open), path.substr(open + 2, path.size() - open - 4)};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

void validate_divisor(const std::string& resource, const Quantity& divisor, const FieldPath& at, Causes& out) {
  if (divisor.is_zero()) return;
  const std::string text = divisor.str();
  const bool is_size = std::ranges::find(kSizes, text) != std::end(kSizes);
  const auto refuse = [&](std::string_view what) {
    out.invalid(at / "divisor", resource,
                fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "
                            "supported with the {} resource", what));
  };
  const std::string_view name = std::string_view(resource).substr(std::min(resource.find('.') + 1, resource.size()));
  if (name == "cpu" && text != "1m" && text != "1")
    out.invalid(at / "divisor", resource, "only divisor's values 1m and 1 are supported with the cpu resource");
  if (name == "memory" && !is_size) refuse("memory");
  if (name == "ephemeral-storage" && !is_size) refuse("local ephemeral storage");
  if (name.starts_with("hugepages-") && !is_size) refuse("hugepages");
}

void validate_key(const std::string& name, const std::string& key, const FieldPath& at, Causes& out) {
  validate_name(check_name_is_subdomain, name, at / "name", out);
  if (key.empty()) return out.required(at / "key");
  out.invalid_each(at / "key", key, check_config_map_key(key));
}

void validate_file_key(const core::FileKeySelector& selector, const FieldPath& at, Causes& out) {
  if (selector.key.empty()) {
    out.required(at / "key");
  } else {
    out.invalid_each(at / "key", selector.key, check_relaxed_env_var_name(selector.key));
  }
  if (selector.volume_name.empty()) {
    out.required(at / "volumeName");
  } else {
    validate_dns1123_label(selector.volume_name, at / "volumeName", out);
  }
  if (selector.path.empty()) return out.required(at / "path");
  validate_no_backsteps(selector.path, at / "path", out);
}

void validate_value_from(const core::EnvVar& variable, const PodRules& rules, const FieldPath& at, Causes& out) {
  if (!variable.value_from) return;
  const core::EnvVarSource& from = *variable.value_from;
  int sources = 0;
  if (from.field_ref) ++sources, validate_field_selector(*from.field_ref, false, at / "fieldRef", out);
  if (from.resource_field_ref)
    ++sources, validate_resource_selector(*from.resource_field_ref, false, at / "resourceFieldRef", out);
  if (from.config_map_key_ref)
    ++sources, validate_key(from.config_map_key_ref->local_object_reference.name, from.config_map_key_ref->key,
                            at / "configMapKeyRef", out);
  if (from.secret_key_ref)
    ++sources, validate_key(from.secret_key_ref->local_object_reference.name, from.secret_key_ref->key,
                            at / "secretKeyRef", out);
  if (from.file_key_ref) ++sources, validate_file_key(*from.file_key_ref, at / "fileKeyRef", out);
  if (sources == 0) {
    out.invalid(at, "",
                rules.gates.enabled("EnvFiles")
                    ? "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                      "`fileKeyRef`"
                    : "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  } else if (!variable.value.empty()) {
    out.invalid(at, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    out.invalid(at, "", "may not have more than one field specified at a time");
  }
}

void validate_source_name(const std::string& name, const FieldPath& at, Causes& out) {
  if (name.empty()) return out.required(at / "name");
  out.invalid_each(at / "name", name, check_name_is_subdomain(name, true));
}

}  // namespace

void validate_field_selector(const core::ObjectFieldSelector& selector, bool of_volume, const FieldPath& at,
                             Causes& out) {
  if (selector.api_version.empty()) return out.required(at / "apiVersion");
  if (selector.field_path.empty()) return out.required(at / "fieldPath");
  const std::string& path = selector.field_path;
  const auto parts = split_subscript(path);
  const bool can_subscript = parts && (parts->path == "metadata.annotations" || parts->path == "metadata.labels");
  if (selector.api_version != "v1")
    return out.invalid(at / "fieldPath", path,
                       fmt::format("error converting fieldPath: unsupported pod version: {}", selector.api_version));
  if (!can_subscript && (parts || std::ranges::find(kKnownFields, path) == std::end(kKnownFields)))
    return out.invalid(at / "fieldPath", path,
                       fmt::format("error converting fieldPath: field label {}: {}",
                                   parts ? "does not support subscript" : "not supported", path));
  if (parts) {
    const bool annotation = parts->path == "metadata.annotations";
    return validate_qualified_name(annotation ? lower(parts->subscript) : std::string(parts->subscript), at, out);
  }
  const std::span<const std::string_view> allowed =
      of_volume ? std::span<const std::string_view>(kVolumeFields) : kEnvFields;
  const std::string_view label = path == "spec.host" ? std::string_view("spec.nodeName") : path;
  if (std::ranges::find(allowed, label) == allowed.end()) out.not_supported(at / "fieldPath", label, allowed);
}

void validate_resource_selector(const core::ResourceFieldSelector& selector, bool of_volume,
                                const FieldPath& at, Causes& out) {
  const std::string& resource = selector.resource;
  const bool huge = resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
  if (of_volume && selector.container_name.empty()) {
    out.required(at / "containerName");
  } else if (resource.empty()) {
    out.required(at / "resource");
  } else if (!huge && std::ranges::find(kResources, resource) == std::end(kResources)) {
    out.not_supported(at / "resource", resource, kResources);
  }
  validate_divisor(resource, selector.divisor, at, out);
}

void validate_env(const std::vector<core::EnvVar>& env, const PodRules& rules, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < env.size(); ++i) {
    const FieldPath here = at / i;
    if (env[i].name.empty()) {
      out.required(here / "name");
    } else {
      out.invalid_each(here / "name", env[i].name, check_relaxed_env_var_name(env[i].name));
    }
    validate_value_from(env[i], rules, here / "valueFrom", out);
  }
}

void validate_env_from(const std::vector<core::EnvFromSource>& sources, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const core::EnvFromSource& source = sources[i];
    const FieldPath here = at / i;
    if (!source.prefix.empty())
      out.invalid_each(here / "prefix", source.prefix, check_relaxed_env_var_name(source.prefix));
    if (source.config_map_ref)
      validate_source_name(source.config_map_ref->local_object_reference.name, here / "configMapRef", out);
    if (source.secret_ref)
      validate_source_name(source.secret_ref->local_object_reference.name, here / "secretRef", out);
    if (!source.config_map_ref && !source.secret_ref)
      out.invalid(at, "", "must specify one of: `configMapRef` or `secretRef`");
    if (source.config_map_ref && source.secret_ref)
      out.invalid(at, "", "may not have more than one field specified at a time");
  }
}

}  // namespace dray::api
