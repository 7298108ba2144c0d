#include "api/resource_prepare.h"

#include <algorithm>
#include <set>

#include "api/feature_gates.h"
#include "api/hooks.h"
#include "api/resource_device_id.h"
#include "api/resource_gates.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"
#include "api/status_metadata.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

using Claim = resource::ResourceClaim;
using Template = resource::ResourceClaimTemplate;
using Slice = resource::ResourceSlice;
using Class = resource::DeviceClass;
using Rule = resource::DeviceTaintRule;
using PoolRequest = resource_v1alpha3::ResourcePoolStatusRequest;

template <class Kind>
void count_spec_change(Kind& fresh, const Kind& old) {
  fresh.metadata.generation = old.metadata.generation + (equal(fresh.spec, old.spec) ? 0 : 1);
}

void default_time(const HookContext& context, resource::DeviceTaint& taint) {
  if (!taint.time_added) taint.time_added = Time::of(context.now.wall);
}

void default_times(const HookContext& context, Slice& slice) {
  for (resource::Device& device : slice.spec.devices) {
    for (resource::DeviceTaint& taint : device.taints) default_time(context, taint);
  }
}

/// Removes from status.devices what was allocated and is not any more, so that drivers need not.
void drop_deallocated_devices(Claim& fresh, const Claim& old) {
  std::set<DeviceKey> gone;
  if (old.status.allocation) {
    for (const auto& result : old.status.allocation->devices.results) gone.insert(device_key(result));
  }
  if (fresh.status.allocation) {
    for (const auto& result : fresh.status.allocation->devices.results) gone.erase(device_key(result));
  }
  std::erase_if(fresh.status.devices,
                [&](const auto& device) { return gone.contains(device_key(device)); });
}

}  // namespace

void prepare_claim_create(const HookContext& context, Object& object) {
  auto& claim = cast<Claim>(object);
  claim.status = {};
  drop_disabled_fields(context.gates, claim.spec, nullptr);
}

void prepare_claim_update(const HookContext& context, Object& object, const Object& old_object) {
  auto& claim = cast<Claim>(object);
  const auto& old = cast<Claim>(old_object);
  claim.status = old.status;
  drop_disabled_fields(context.gates, claim.spec, &old.spec);
}

void prepare_claim_status(const HookContext& context, Object& object, const Object& old_object) {
  auto& claim = cast<Claim>(object);
  const auto& old = cast<Claim>(old_object);
  claim.spec = old.spec;
  reset_metadata_for_status(claim.metadata, old.metadata);
  drop_disabled_status_fields(context.gates, claim, old);
  drop_deallocated_devices(claim, old);
}

void prepare_claim_template_create(const HookContext& context, Object& object) {
  drop_disabled_fields(context.gates, cast<Template>(object).spec.spec, nullptr);
}

void prepare_claim_template_update(const HookContext& context, Object& object, const Object& old) {
  drop_disabled_fields(context.gates, cast<Template>(object).spec.spec,
                       &cast<Template>(old).spec.spec);
}

void prepare_slice_create(const HookContext& context, Object& object) {
  auto& slice = cast<Slice>(object);
  default_times(context, slice);
  slice.metadata.generation = 1;
  drop_disabled_fields(context.gates, slice.spec, nullptr);
}

void prepare_slice_update(const HookContext& context, Object& object, const Object& old_object) {
  auto& slice = cast<Slice>(object);
  const auto& old = cast<Slice>(old_object);
  default_times(context, slice);
  // As there: counted before disabled fields go.
  count_spec_change(slice, old);
  drop_disabled_fields(context.gates, slice.spec, &old.spec);
}

void prepare_class_create(const HookContext& context, Object& object) {
  auto& device_class = cast<Class>(object);
  device_class.metadata.generation = 1;
  drop_disabled_fields(context.gates, device_class.spec, nullptr);
}

void prepare_class_update(const HookContext& context, Object& object, const Object& old_object) {
  auto& device_class = cast<Class>(object);
  const auto& old = cast<Class>(old_object);
  drop_disabled_fields(context.gates, device_class.spec, &old.spec);
  count_spec_change(device_class, old);
}

void prepare_taint_rule_create(const HookContext& context, Object& object) {
  auto& rule = cast<Rule>(object);
  default_time(context, rule.spec.taint);
  rule.status = {};
  rule.metadata.generation = 1;
}

void prepare_taint_rule_update(const HookContext& context, Object& object, const Object& old_object) {
  auto& rule = cast<Rule>(object);
  const auto& old = cast<Rule>(old_object);
  default_time(context, rule.spec.taint);
  rule.status = old.status;
  // The time says since when this effect holds, unless the writer says otherwise.
  if (rule.spec.taint.effect != old.spec.taint.effect &&
      rule.spec.taint.time_added == old.spec.taint.time_added) {
    rule.spec.taint.time_added = Time::of(context.now.wall);
  }
  count_spec_change(rule, old);
}

void prepare_taint_rule_status(const HookContext&, Object& object, const Object& old_object) {
  auto& rule = cast<Rule>(object);
  const auto& old = cast<Rule>(old_object);
  rule.spec = old.spec;
  reset_metadata_for_status(rule.metadata, old.metadata);
}

void prepare_pool_status_request_create(const HookContext& context, Object& object) {
  auto& request = cast<PoolRequest>(object);
  request.status.reset();
  drop_disabled_fields(context.gates, request.spec, nullptr);
}

void prepare_pool_status_request_update(const HookContext& context, Object& object,
                                        const Object& old_object) {
  auto& request = cast<PoolRequest>(object);
  const auto& old = cast<PoolRequest>(old_object);
  request.status = old.status;
  drop_disabled_fields(context.gates, request.spec, &old.spec);
}

void prepare_pool_status_request_status(const HookContext&, Object& object, const Object& old_object) {
  auto& request = cast<PoolRequest>(object);
  const auto& old = cast<PoolRequest>(old_object);
  request.spec = old.spec;
  reset_metadata_for_status(request.metadata, old.metadata);
}

}  // namespace dray::api
