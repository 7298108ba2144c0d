#include "api/resource_hooks.h"

#include "api/resource_conversion.h"
#include "api/resource_defaults.h"
#include "api/resource_prepare.h"
#include "api/resource_table.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"
#include "api/resource_v1beta1.h"
#include "api/resource_v1beta2.h"
#include "api/resource_validation.h"

namespace dray::api {
namespace {

constexpr Conversion kClaimConversions[] = {
    {"v1beta2", convert_to<resource::ResourceClaim>, convert_to<resource_v1beta2::ResourceClaim>},
    {"v1beta1", claim_from_v1beta1, claim_to_v1beta1},
};
constexpr Conversion kTemplateConversions[] = {
    {"v1beta2", convert_to<resource::ResourceClaimTemplate>,
     convert_to<resource_v1beta2::ResourceClaimTemplate>},
    {"v1beta1", claim_template_from_v1beta1, claim_template_to_v1beta1},
};
constexpr Conversion kClassConversions[] = {
    {"v1beta2", convert_to<resource::DeviceClass>, convert_to<resource_v1beta2::DeviceClass>},
    {"v1beta1", convert_to<resource::DeviceClass>, convert_to<resource_v1beta1::DeviceClass>},
};
constexpr Conversion kSliceConversions[] = {
    {"v1beta2", convert_to<resource::ResourceSlice>, convert_to<resource_v1beta2::ResourceSlice>},
    {"v1beta1", slice_from_v1beta1, slice_to_v1beta1},
};
constexpr Conversion kRuleConversions[] = {
    {"v1beta2", convert_to<resource::DeviceTaintRule>, convert_to<resource_v1beta2::DeviceTaintRule>},
    {"v1alpha3", convert_to<resource::DeviceTaintRule>, convert_to<resource_v1alpha3::DeviceTaintRule>},
};

constexpr std::string_view kSliceFields[] = {"spec.nodeName", "spec.driver", "spec.pool.name"};

std::optional<std::string> slice_field(const Object& object, std::string_view path) {
  const auto& spec = cast<resource::ResourceSlice>(object).spec;
  if (path == "spec.nodeName") return spec.node_name.value_or("");
  if (path == "spec.driver") return spec.driver;
  if (path == "spec.pool.name") return spec.pool.name;
  return std::nullopt;
}

std::vector<std::string> slice_warnings(const HookContext&, const Object& fresh, const Object*) {
  const std::string& driver = cast<resource::ResourceSlice>(fresh).spec.driver;
  for (const char c : driver) {
    if (c < 'A' || c > 'Z') continue;
    return {"spec.driver: driver names should be lowercase; " + go_quoted(driver) +
            " contains uppercase characters"};
  }
  return {};
}

}  // namespace

std::span<const KindHooks> resource_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &resource::ResourceClaim::kDescriptor,
       .hooks = {.set_defaults = default_claim,
                 .prepare_create = prepare_claim_create,
                 .prepare_update = prepare_claim_update,
                 .prepare_status = prepare_claim_status,
                 .validate_create = validate_claim_create,
                 .validate_update = validate_claim_update,
                 .validate_status = validate_claim_status,
                 .row = claim_row},
       .columns = claim_columns(),
       .conversions = kClaimConversions},
      {.stored = &resource::ResourceClaimTemplate::kDescriptor,
       .hooks = {.set_defaults = default_claim_template,
                 .prepare_create = prepare_claim_template_create,
                 .prepare_update = prepare_claim_template_update,
                 .validate_create = validate_claim_template_create,
                 .validate_update = validate_claim_template_update},
       .conversions = kTemplateConversions},
      {.stored = &resource::DeviceClass::kDescriptor,
       .hooks = {.prepare_create = prepare_class_create,
                 .prepare_update = prepare_class_update,
                 .validate_create = validate_class_create,
                 .validate_update = validate_class_update},
       .conversions = kClassConversions,
       .has_generation = true},
      {.stored = &resource::ResourceSlice::kDescriptor,
       .hooks = {.prepare_create = prepare_slice_create,
                 .prepare_update = prepare_slice_update,
                 .validate_create = validate_slice_create,
                 .validate_update = validate_slice_update,
                 .warnings = slice_warnings,
                 .field = slice_field,
                 .row = slice_row},
       .columns = slice_columns(),
       .selectable_fields = kSliceFields,
       .conversions = kSliceConversions,
       .has_generation = true},
      // An unconditional update is refused in v1 only; the old versions allow it, there.
      {.stored = &resource::DeviceTaintRule::kDescriptor,
       .hooks = {.prepare_create = prepare_taint_rule_create,
                 .prepare_update = prepare_taint_rule_update,
                 .prepare_status = prepare_taint_rule_status,
                 .validate_create = validate_taint_rule_create,
                 .validate_update = validate_taint_rule_update,
                 .validate_status = validate_taint_rule_status,
                 .row = taint_rule_row},
       .columns = taint_rule_columns(),
       .conversions = kRuleConversions,
       .has_generation = true,
       .unconditional_update = false},
      {.stored = &resource_v1alpha3::ResourcePoolStatusRequest::kDescriptor,
       .hooks = {.set_defaults = default_pool_status_request,
                 .prepare_create = prepare_pool_status_request_create,
                 .prepare_update = prepare_pool_status_request_update,
                 .prepare_status = prepare_pool_status_request_status,
                 .validate_create = validate_pool_status_request_create,
                 .validate_update = validate_pool_status_request_update,
                 .validate_status = validate_pool_status_request_status,
                 .row = pool_status_request_row},
       .columns = pool_status_request_columns(),
       .unconditional_update = false},
  };
  return kHooks;
}

}  // namespace dray::api
