/// What pods/binding and pods/eviction do, for the API server and for the parts in the same process.
/// Source: k8s.io/kubernetes pkg/registry/core/pod/storage.
/// Thread: confined to the control plane's executor.
#pragma once

#include <string_view>

#include "store/resources.h"

namespace dray::core {
struct Binding;
}

namespace dray::store {

/// Assigns the pod named in the binding to its target. Errors: kNotFound; kConflict if it is assigned
/// already, is being deleted, has scheduling gates or another uid; kInternal for a wrong target, with
/// the bare text that Kubernetes answers.
[[nodiscard]] Result<Written> bind_pod(Resources& resources, const core::Binding& binding, Time now,
                                       const WriteOptions& options = {});

/// Deletes the pod if its disruption budget has room, which it then takes. Errors: kNotFound;
/// kTooManyRequests with the cause DisruptionBudget; kForbidden; what a delete refuses.
[[nodiscard]] Result<Written> evict_pod(Resources& resources, std::string_view namespace_, std::string_view name,
                                        const meta::DeleteOptions& how, Time now, const WriteOptions& options = {});

}  // namespace dray::store
