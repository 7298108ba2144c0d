/// What every cluster and every namespace has: the system's namespaces and priority classes, and in each
/// namespace the service account `default` and the authority's certificate.
/// Source: k8s.io/kubernetes pkg/controlplane, pkg/controller/serviceaccount,
/// pkg/controller/certificates/rootcacertpublisher.
#pragma once

#include <memory>
#include <string>

#include "controllers/context.h"

namespace dray::controllers {

/// `root_ca` is PEM; empty: none is published.
[[nodiscard]] std::unique_ptr<Controller> make_default_objects_controller(Context context, std::string root_ca);

}  // namespace dray::controllers
