/// Validation of the kinds of scheduling.k8s.io: what the schema's markers do not say, then what they say.
/// Hooks (api/kind.h). Source: kubernetes pkg/apis/scheduling/validation (1.37).
#pragma once

#include "api/kind.h"
#include "machinery/validate.h"

namespace dray::api {

void validate_priority_class_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_priority_class_update(const HookContext& context, const Object& fresh, const Object& old,
                                    Causes& out);

void validate_pod_group_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_pod_group_update(const HookContext& context, const Object& fresh, const Object& old,
                               Causes& out);
void validate_pod_group_status(const HookContext& context, const Object& fresh, const Object& old,
                               Causes& out);

void validate_composite_pod_group_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_composite_pod_group_update(const HookContext& context, const Object& fresh,
                                         const Object& old, Causes& out);
void validate_composite_pod_group_status(const HookContext& context, const Object& fresh,
                                         const Object& old, Causes& out);

void validate_workload_create(const HookContext& context, const Object& fresh, Causes& out);
void validate_workload_update(const HookContext& context, const Object& fresh, const Object& old,
                              Causes& out);

}  // namespace dray::api
