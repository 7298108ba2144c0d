/// ConfigMaps, Secrets and ServiceAccounts.
#include "api/core_validate.h"
#include "api/kind_validate.h"
#include "machinery/value.h"

namespace dray::api {
namespace {

constexpr std::size_t kBytesMax = 1024 * 1024;
constexpr std::string_view kImmutable = "field is immutable when `immutable` is set";

void validate_config_map(const core::ConfigMap& map, Causes& out) {
  const FieldPath data("data"), binary("binaryData");
  std::size_t bytes = 0;
  for (const auto& [key, value] : map.data) {
    out.invalid_each(data[key], key, check_config_map_key(key));
    if (map.binary_data.contains(key)) out.invalid(data[key], key, "duplicate of key present in binaryData");
    bytes += value.size();
  }
  for (const auto& [key, value] : map.binary_data) {
    out.invalid_each(binary[key], key, check_config_map_key(key));
    bytes += value.data.size();
  }
  if (bytes > kBytesMax) out.too_long(FieldPath(""), kBytesMax);
}

/// Keys that a type of secret must have.
void validate_type(const core::Secret& secret, Causes& out) {
  const FieldPath data("data"), annotations("metadata.annotations");
  const auto need = [&](std::string_view key) {
    if (!secret.data.contains(std::string(key))) out.required(data[key]);
  };
  const auto need_json = [&](const std::string& key) {
    const auto found = secret.data.find(key);
    if (found == secret.data.end()) return out.required(data[key]);
    const auto parsed = parse_json(found->second.data);
    if (parsed && (parsed->is_map() || parsed->is_null())) return;
    const std::string why = parsed ? "json: cannot unmarshal into Go value of type map[string]interface {}"
                                   : parsed.error().causes.empty() ? parsed.error().message
                                                                   : parsed.error().causes.front().message;
    out.invalid(data[key], "<secret contents redacted>", why);
  };
  if (secret.type == "kubernetes.io/service-account-token") {
    static constexpr const char* kName = "kubernetes.io/service-account.name";
    const auto found = secret.metadata.annotations.find(kName);
    if (found == secret.metadata.annotations.end() || found->second.empty()) out.required(annotations[kName]);
  } else if (secret.type == "kubernetes.io/dockercfg") {
    need_json(".dockercfg");
  } else if (secret.type == "kubernetes.io/dockerconfigjson") {
    need_json(".dockerconfigjson");
  } else if (secret.type == "kubernetes.io/basic-auth") {
    if (secret.data.contains("username") || secret.data.contains("password")) return;
    need("username");
    need("password");
  } else if (secret.type == "kubernetes.io/ssh-auth") {
    const auto found = secret.data.find("ssh-privatekey");
    if (found == secret.data.end() || found->second.data.empty()) out.required(data["ssh-privatekey"]);
  } else if (secret.type == "kubernetes.io/tls") {
    need("tls.crt");
    need("tls.key");
  }
}

void validate_secret(const core::Secret& secret, Causes& out) {
  const FieldPath data("data");
  std::size_t bytes = 0;
  for (const auto& [key, value] : secret.data) {
    out.invalid_each(data[key], key, check_config_map_key(key));
    bytes += value.data.size();
  }
  if (bytes > kBytesMax) out.too_long(data, kBytesMax);
  validate_type(secret, out);
}

}  // namespace

void validate_config_map_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_config_map(cast<core::ConfigMap>(object), out);
}

void validate_config_map_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::ConfigMap>(object);
  const auto& old = cast<core::ConfigMap>(stored);
  if (old.immutable == true) {
    if (fresh.immutable != true) out.forbidden(FieldPath("immutable"), kImmutable);
    if (fresh.data != old.data) out.forbidden(FieldPath("data"), kImmutable);
    if (fresh.binary_data != old.binary_data) out.forbidden(FieldPath("binaryData"), kImmutable);
  }
  validate_config_map(fresh, out);
}

void validate_secret_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_secret(cast<core::Secret>(object), out);
}

void validate_secret_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::Secret>(object);
  const auto& old = cast<core::Secret>(stored);
  out.immutable(FieldPath("type"), fresh.type, old.type);
  if (old.immutable == true) {
    if (fresh.immutable != true) out.forbidden(FieldPath("immutable"), kImmutable);
    if (fresh.data != old.data) out.forbidden(FieldPath("data"), kImmutable);
  }
  validate_secret(fresh, out);
}

void validate_service_account_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
}

}  // namespace dray::api
