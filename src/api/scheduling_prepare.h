/// What the server changes in objects of scheduling.k8s.io before it validates a write.
/// Hooks (api/kind.h). Source: kubernetes pkg/registry/scheduling/*/strategy.go,
/// pkg/apis/scheduling/*/defaults.go (1.37).
#pragma once

#include "api/kind.h"

namespace dray::api {

/// The members of a group that are evicted together: one at a time, unless the group says otherwise.
void default_pod_group(Object& group);
void default_composite_pod_group(Object& group);
void default_priority_class(Object& priority_class);

void prepare_priority_class_create(const HookContext& context, Object& fresh);

void prepare_pod_group_create(const HookContext& context, Object& fresh);
void prepare_pod_group_update(const HookContext& context, Object& fresh, const Object& old);
void prepare_pod_group_status(const HookContext& context, Object& fresh, const Object& old);

void prepare_composite_pod_group_create(const HookContext& context, Object& fresh);
void prepare_composite_pod_group_update(const HookContext& context, Object& fresh, const Object& old);
void prepare_composite_pod_group_status(const HookContext& context, Object& fresh, const Object& old);

void prepare_workload_create(const HookContext& context, Object& fresh);
void prepare_workload_update(const HookContext& context, Object& fresh, const Object& old);

}  // namespace dray::api
