/// apps/v1 and the other kinds that own pods: shared pieces of their hooks.
#pragma once

#include "api/apps_v1.h"
#include "api/core_pod.h"
#include "api/hooks.h"
#include "api/strategy.h"

namespace dray::api {

/// Hooks of a kind with `spec.template` (a PodTemplateSpec) and a status.
template <class T>
void prepare_templated(const HookContext& context, Object& object) {
  auto& fresh = cast<T>(object);
  fresh.status = {};
  drop_disabled_fields(context.gates, fresh.spec.template_, nullptr);
}
template <class T>
void prepare_templated_update(const HookContext& context, Object& object, const Object& old) {
  auto& fresh = cast<T>(object);
  fresh.status = cast<T>(old).status;
  drop_disabled_fields(context.gates, fresh.spec.template_, &cast<T>(old).spec.template_);
}

}  // namespace dray::api
