/// What kube-apiserver itself makes in an empty cluster, with or without controllers.
/// Source: k8s.io/kubernetes pkg/controlplane, pkg/registry/scheduling/rest.
#pragma once

#include "base/error.h"

namespace dray::store {

class Resources;

/// The system's namespaces, its two priority classes and the service `kubernetes`; what is there already
/// is left as it is.
[[nodiscard]] Result<> make_bootstrap_objects(Resources& resources);

}  // namespace dray::store
