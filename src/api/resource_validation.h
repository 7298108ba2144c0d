/// Validation of the kinds of resource.k8s.io: what the schema's markers do not say, then what they say.
/// Hooks (api/kind.h). Source: kubernetes pkg/apis/resource/validation (1.37).
#pragma once

#include "api/kind.h"
#include "machinery/validate.h"

namespace dray::api {

void validate_claim_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_claim_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_claim_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

void validate_claim_template_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_claim_template_update(const HookContext& context, const Object& fresh, const Object& old,
                                    Causes& out);

void validate_class_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_class_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

void validate_slice_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_slice_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);

void validate_taint_rule_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_taint_rule_update(const HookContext& context, const Object& fresh, const Object& old,
                                Causes& out);
void validate_taint_rule_status(const HookContext& context, const Object& fresh, const Object& old,
                                Causes& out);

void validate_pool_status_request_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_pool_status_request_update(const HookContext& context, const Object& fresh,
                                         const Object& old, Causes& out);
void validate_pool_status_request_status(const HookContext& context, const Object& fresh,
                                         const Object& old, Causes& out);

}  // namespace dray::api
