/// Empties namespaces that are being deleted, and takes their finalizer away.
/// Source: k8s.io/kubernetes pkg/controller/namespace/deletion.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controllers/context.h"

namespace dray::core {
struct NamespaceCondition;
}

namespace dray::controllers {

/// What is left in a namespace: how many objects of each resource, and of each finalizer.
struct Remainder {
  std::map<std::string, int> resources;   // "pods." , "deployments.apps": as Kubernetes prints them
  std::map<std::string, int> finalizers;
};
/// The five conditions of a namespace on its way out. Pure.
[[nodiscard]] std::vector<core::NamespaceCondition> namespace_conditions(
    const std::vector<core::NamespaceCondition>& old, const Remainder& left, Time now);

class NamespaceController : public Controller {
 public:
  /// Something in the namespace went: it may be empty now.
  virtual void on_removed(const std::string& namespace_) = 0;
};
[[nodiscard]] std::unique_ptr<NamespaceController> make_namespace_controller(Context context);

}  // namespace dray::controllers
