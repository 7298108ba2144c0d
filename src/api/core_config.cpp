/// ConfigMap, Secret and ServiceAccount.
#include "api/core_defaults.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

void default_secret(Object& object) { default_to(cast<core::Secret>(object).type, "Opaque"); }

constexpr std::string_view kSecretFields[] = {"type"};

std::optional<std::string> secret_field(const Object& object, std::string_view path) {
  if (path != "type") return std::nullopt;
  return cast<core::Secret>(object).type;
}

/// stringData is write-only: it becomes data.
void take_string_data(core::Secret& secret) {
  for (auto& [key, text] : secret.string_data) secret.data[key].data = std::move(text);
  secret.string_data.clear();
}

void prepare_secret(const HookContext&, Object& object) { take_string_data(cast<core::Secret>(object)); }

void prepare_secret_update(const HookContext&, Object& object, const Object& old) {
  auto& secret = cast<core::Secret>(object);
  default_to(secret.type, cast<core::Secret>(old).type);
  take_string_data(secret);
}

/// Of a secret only its name counts.
void clean_references(core::ServiceAccount& account) {
  for (core::ObjectReference& secret : account.secrets) {
    core::ObjectReference clean;
    clean.name = std::move(secret.name);
    secret = std::move(clean);
  }
}

void prepare_account(const HookContext&, Object& object) {
  clean_references(cast<core::ServiceAccount>(object));
}

void prepare_account_update(const HookContext&, Object& object, const Object&) {
  clean_references(cast<core::ServiceAccount>(object));
}

}  // namespace

std::span<const KindHooks> config_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::ConfigMap::kDescriptor,
       .hooks = {.validate_create = validate_config_map_create,
                 .validate_update = validate_config_map_update,
                 .row = config_map_row},
       .columns = kConfigMapColumns},
      {.stored = &core::Secret::kDescriptor,
       .hooks = {.set_defaults = default_secret,
                 .prepare_create = prepare_secret,
                 .prepare_update = prepare_secret_update,
                 .validate_create = validate_secret_create,
                 .validate_update = validate_secret_update,
                 .field = secret_field,
                 .row = secret_row},
       .columns = kSecretColumns,
       .selectable_fields = kSecretFields},
      {.stored = &core::ServiceAccount::kDescriptor,
       .hooks = {.prepare_create = prepare_account,
                 .prepare_update = prepare_account_update,
                 .validate_create = validate_service_account_create,
                 .row = service_account_row},
       .columns = kServiceAccountColumns},
  };
  return kHooks;
}

}  // namespace dray::api
