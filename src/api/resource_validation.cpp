#include "api/resource_validation.h"

#include <algorithm>
#include <utility>

#include "api/declarative_validation.h"
#include "api/hooks.h"
#include "api/internal_text.h"
#include "api/resource_claim_validation.h"
#include "api/resource_parts.h"
#include "api/resource_slice_validation.h"
#include "api/resource_status_validation.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"
#include "machinery/codec.h"
#include "machinery/metadata_validation.h"

namespace dray::api {
namespace {

using Claim = resource::ResourceClaim;
using Template = resource::ResourceClaimTemplate;
using Class = resource::DeviceClass;
using Slice = resource::ResourceSlice;
using Rule = resource::DeviceTaintRule;
using PoolRequest = resource_v1alpha3::ResourcePoolStatusRequest;

/// The declarative rules say it.
Problems name_is_checked_elsewhere(std::string_view, bool) { return {}; }

FieldPath metadata() { return FieldPath("metadata"); }

template <class T>
bool same_list(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return equal(x, y); });
}

/// A template's metadata: only what a claim can get from it.
void validate_template_metadata(const meta::ObjectMeta& fields, const FieldPath& at, Causes& out) {
  validate_annotations(fields.annotations, at / "annotations", out);
  validate_labels(fields.labels, at / "labels", out);
  const std::pair<const char*, bool> others[] = {
      {"name", !fields.name.empty()},
      {"generateName", !fields.generate_name.empty()},
      {"namespace", !fields.namespace_.empty()},
      {"selfLink", !fields.self_link.empty()},
      {"uid", !fields.uid.empty()},
      {"resourceVersion", !fields.resource_version.empty()},
      {"generation", fields.generation != 0},
      {"creationTimestamp", !fields.creation_timestamp.is_zero()},
      {"deletionTimestamp", fields.deletion_timestamp.has_value()},
      {"deletionGracePeriodSeconds", fields.deletion_grace_period_seconds.has_value()},
      {"ownerReferences", !fields.owner_references.empty()},
      {"finalizers", !fields.finalizers.empty()},
      {"managedFields", !fields.managed_fields.empty()},
  };
  for (const auto& [name, set] : others) {
    if (set) out.forbidden(at / name, "cannot be set");
  }
}

void validate_template(const HookContext& context, const Template& object, Causes& out) {
  validate_metadata(object.metadata, true, check_name_is_subdomain, metadata(), out);
  const FieldPath spec("spec");
  validate_template_metadata(object.spec.metadata, spec / "metadata", out);
  validate_claim_spec(context, object.spec.spec, spec / "spec", out);
}

/// What is as it was is not checked again: it was fine when it was stored.
void validate_class_spec(const HookContext& context, const Class& object, const Class* old, Causes& out) {
  const FieldPath spec("spec");
  const bool same_selectors = old && same_list(object.spec.selectors, old->spec.selectors);
  const bool same_config = old && same_list(object.spec.config, old->spec.config);
  validate_selectors(context, object.spec.selectors, same_selectors, spec / "selectors", out);
  const auto& config = object.spec.config;
  for (std::size_t i = 0; config.size() <= kConfigMax && i < config.size(); ++i) {
    validate_device_configuration(config[i].device_configuration, same_config, spec / "config" / i, out);
  }
}

void validate_rule_spec(const resource::DeviceTaintRuleSpec& spec, Causes& out) {
  const FieldPath at("spec");
  if (spec.device_selector) {
    const FieldPath selector = at / "deviceSelector";
    if (spec.device_selector->driver) {
      validate_driver_name(*spec.device_selector->driver, selector / "driver", out);
    }
    if (spec.device_selector->pool) validate_pool_name(*spec.device_selector->pool, selector / "pool", out);
    if (spec.device_selector->device) {
      validate_device_name(*spec.device_selector->device, selector / "device", out);
    }
  }
  validate_taint(spec.taint, at / "taint", out);
}

}  // namespace

void validate_claim_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& claim = cast<Claim>(object);
  validate_admin_access(context, claim.spec, claim.metadata.namespace_, out);
  validate_metadata(claim.metadata, true, check_name_is_subdomain, metadata(), out);
  validate_claim_spec(context, claim.spec, FieldPath("spec"), out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_claim_update(const HookContext& context, const Object& object, const Object& old,
                           Causes& out) {
  validate_metadata(object.metadata, true, check_name_is_subdomain, metadata(), out);
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_declaratively(object, &old, context, out);
}

void validate_claim_status(const HookContext& context, const Object& object, const Object& old_object,
                           Causes& out) {
  const auto& claim = cast<Claim>(object);
  const auto& old = cast<Claim>(old_object);
  validate_admin_access_of_status(context, claim, old, out);
  validate_metadata_update(claim.metadata, old.metadata, metadata(), out);
  validate_claim_status_change(claim, old, out);
  validate_declaratively(object, &old_object, context, out);
}

void validate_claim_template_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& claim_template = cast<Template>(object);
  validate_admin_access(context, claim_template.spec.spec, claim_template.metadata.namespace_, out);
  validate_template(context, claim_template, out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_claim_template_update(const HookContext& context, const Object& object,
                                    const Object& old_object, Causes& out) {
  const auto& claim_template = cast<Template>(object);
  const auto& old = cast<Template>(old_object);
  validate_template(context, claim_template, out);
  validate_metadata_update(claim_template.metadata, old.metadata, metadata(), out);
  if (!equal(claim_template.spec, old.spec)) {
    out.invalid(FieldPath("spec"), internal_value_of(claim_template.spec), Causes::kFieldImmutable);
  }
  validate_declaratively(object, &old_object, context, out);
}

void validate_class_create(const HookContext& context, const Object& object, Causes& out) {
  validate_metadata(object.metadata, false, name_is_checked_elsewhere, metadata(), out);
  validate_class_spec(context, cast<Class>(object), nullptr, out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_class_update(const HookContext& context, const Object& object, const Object& old,
                           Causes& out) {
  validate_metadata(object.metadata, false, name_is_checked_elsewhere, metadata(), out);
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_class_spec(context, cast<Class>(object), &cast<Class>(old), out);
  validate_declaratively(object, &old, context, out);
}

void validate_slice_create(const HookContext& context, const Object& object, Causes& out) {
  validate_metadata(object.metadata, false, check_name_is_subdomain, metadata(), out);
  validate_slice_spec(context, cast<Slice>(object).spec, nullptr, FieldPath("spec"), out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_slice_update(const HookContext& context, const Object& object, const Object& old,
                           Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_slice_spec(context, cast<Slice>(object).spec, &cast<Slice>(old).spec, FieldPath("spec"), out);
  validate_declaratively(object, &old, context, out);
}

void validate_taint_rule_create(const HookContext& context, const Object& object, Causes& out) {
  validate_metadata(object.metadata, false, check_name_is_subdomain, metadata(), out);
  validate_rule_spec(cast<Rule>(object).spec, out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_taint_rule_update(const HookContext& context, const Object& object, const Object& old,
                                Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_rule_spec(cast<Rule>(object).spec, out);
  validate_declaratively(object, &old, context, out);
}

void validate_taint_rule_status(const HookContext& context, const Object& object, const Object& old,
                                Causes& out) {
  const auto& conditions = cast<Rule>(object).status.conditions;
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  const FieldPath at = FieldPath("status") / "conditions";
  validate_conditions(conditions, at, out);
  if (conditions.size() > kConditionsMax) {
    out.too_many(at, static_cast<std::int64_t>(conditions.size()), kConditionsMax);
  }
  validate_declaratively(object, &old, context, out);
}

void validate_pool_status_request_create(const HookContext& context, const Object& object, Causes& out) {
  validate_metadata(object.metadata, false, check_name_is_subdomain, metadata(), out);
  validate_declaratively(object, nullptr, context, out);
}

void validate_pool_status_request_update(const HookContext& context, const Object& object,
                                         const Object& old, Causes& out) {
  validate_metadata_update(object.metadata, old.metadata, metadata(), out);
  validate_declaratively(object, &old, context, out);
}

void validate_pool_status_request_status(const HookContext& context, const Object& object,
                                         const Object& old_object, Causes& out) {
  const auto& status = cast<PoolRequest>(object).status;
  const auto& old = cast<PoolRequest>(old_object).status;
  validate_metadata_update(object.metadata, old_object.metadata, metadata(), out);
  const FieldPath at("status");
  if (old) {
    // Once there, it is complete.
    if (!status) {
      out.invalid(at, BadValue::raw("null"), Causes::kFieldImmutable);
    } else if (!equal(*status, *old)) {
      out.invalid(at, internal_value_of(*status), Causes::kFieldImmutable);
    }
  } else if (status) {
    validate_conditions(status->conditions, at / "conditions", out);
  }
  validate_declaratively(object, &old_object, context, out);
}

}  // namespace dray::api
