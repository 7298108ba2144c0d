/// Taints nodes by their conditions, and takes pods away from nodes with NoExecute taints.
/// Source: k8s.io/kubernetes pkg/controller/nodelifecycle, pkg/controller/tainteviction.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "controllers/context.h"

namespace dray::core {
struct Node;
struct Taint;
struct Toleration;
}  // namespace dray::core

namespace dray::controllers {

/// The taints that the node's conditions ask for, beside those that are not ours. Pure.
[[nodiscard]] std::vector<core::Taint> taints_of(const core::Node& node, Time now);
/// How long a pod with these tolerations may stay: nothing is forever, zero is not at all. Pure.
[[nodiscard]] std::optional<std::int64_t> stay_seconds(const std::vector<core::Taint>& taints,
                                                       const std::vector<core::Toleration>& tolerations);

/// A node's kubelet that says nothing for `grace` is taken for dead; only nodes with a lease have one.
[[nodiscard]] std::unique_ptr<Controller> make_node_lifecycle_controller(Context context, Duration grace);

}  // namespace dray::controllers
