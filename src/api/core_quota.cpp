/// ResourceQuota and LimitRange.
#include "api/core_defaults.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

void default_quota(Object& object) {
  auto& quota = cast<core::ResourceQuota>(object);
  default_resources(quota.spec.hard);
  default_resources(quota.status.hard);
  default_resources(quota.status.used);
}

void fill(ResourceList& to, const ResourceList& from) { to.insert(from.begin(), from.end()); }

void default_limits(Object& object) {
  for (core::LimitRangeItem& item : cast<core::LimitRange>(object).spec.limits) {
    if (item.type == "Container") {
      fill(item.default_, item.max);
      fill(item.default_request, item.default_);
      fill(item.default_request, item.min);
    }
    for (ResourceList* list : {&item.max, &item.min, &item.default_, &item.default_request,
                               &item.max_limit_request_ratio})
      default_resources(*list);
  }
}

}  // namespace

std::span<const KindHooks> quota_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::ResourceQuota::kDescriptor,
       .hooks = {.set_defaults = default_quota,
                 .prepare_create = reset_status<core::ResourceQuota>,
                 .prepare_update = keep_status<core::ResourceQuota>,
                 .prepare_status = keep_spec<core::ResourceQuota>,
                 .validate_create = validate_quota_create,
                 .validate_update = validate_quota_update,
                 .validate_status = validate_quota_status,
                 .row = resource_quota_row},
       .columns = kResourceQuotaColumns},
      {.stored = &core::LimitRange::kDescriptor,
       .hooks = {.set_defaults = default_limits,
                 .validate_create = validate_limit_range_create,
                 .validate_update = validate_limit_range_update,
                 .row = created_row},
       .columns = kCreatedColumns,
       .create_on_update = true},
  };
  return kHooks;
}

}  // namespace dray::api
