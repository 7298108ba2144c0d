/// What the server changes in an object of resource.k8s.io before it validates a write: parts that the
/// writer does not own, fields of features that are off, generations, times of taints.
/// Hooks (api/kind.h). Source: kubernetes pkg/registry/resource/*/strategy.go (1.37).
#pragma once

#include "api/kind.h"

namespace dray::api {

void prepare_claim_create(const HookContext& context, Object& fresh);
void prepare_claim_update(const HookContext& context, Object& fresh, const Object& old);
void prepare_claim_status(const HookContext& context, Object& fresh, const Object& old);

void prepare_claim_template_create(const HookContext& context, Object& fresh);
void prepare_claim_template_update(const HookContext& context, Object& fresh, const Object& old);

void prepare_slice_create(const HookContext& context, Object& fresh);
void prepare_slice_update(const HookContext& context, Object& fresh, const Object& old);

void prepare_class_create(const HookContext& context, Object& fresh);
void prepare_class_update(const HookContext& context, Object& fresh, const Object& old);

void prepare_taint_rule_create(const HookContext& context, Object& fresh);
void prepare_taint_rule_update(const HookContext& context, Object& fresh, const Object& old);
void prepare_taint_rule_status(const HookContext& context, Object& fresh, const Object& old);

void prepare_pool_status_request_create(const HookContext& context, Object& fresh);
void prepare_pool_status_request_update(const HookContext& context, Object& fresh, const Object& old);
void prepare_pool_status_request_status(const HookContext& context, Object& fresh, const Object& old);

}  // namespace dray::api
