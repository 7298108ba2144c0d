/// The tables that `kubectl get` shows of scheduling.k8s.io's kinds.
/// Source: kubernetes pkg/printers/internalversion/printers.go (1.37).
#pragma once

#include <span>

#include "api/kind.h"

namespace dray::api {

[[nodiscard]] std::span<const Column> priority_class_columns();
[[nodiscard]] Value::List priority_class_row(const Object& object, Now now);
[[nodiscard]] std::span<const Column> pod_group_columns();
[[nodiscard]] Value::List pod_group_row(const Object& object, Now now);
[[nodiscard]] std::span<const Column> composite_pod_group_columns();
[[nodiscard]] Value::List composite_pod_group_row(const Object& object, Now now);

}  // namespace dray::api
