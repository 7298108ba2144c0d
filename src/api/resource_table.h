/// The tables that `kubectl get` shows of resource.k8s.io's kinds.
/// Source: kubernetes pkg/printers/internalversion/printers.go (1.37).
#pragma once

#include <span>

#include "api/kind.h"

namespace dray::api {

[[nodiscard]] std::span<const Column> claim_columns();
[[nodiscard]] Value::List claim_row(const Object& object, Now now);
[[nodiscard]] std::span<const Column> slice_columns();
[[nodiscard]] Value::List slice_row(const Object& object, Now now);
[[nodiscard]] std::span<const Column> taint_rule_columns();
[[nodiscard]] Value::List taint_rule_row(const Object& object, Now now);
[[nodiscard]] std::span<const Column> pool_status_request_columns();
[[nodiscard]] Value::List pool_status_request_row(const Object& object, Now now);

}  // namespace dray::api
