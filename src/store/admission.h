/// Kubernetes' built-in admission: the plugins that kube-apiserver has on by default, in its order.
/// They fill in what an object leaves to the cluster (service account, priority, tolerations, limits)
/// and refuse what the cluster forbids (unknown classes, exceeded quotas).
/// Source: k8s.io/kubernetes pkg/kubeapiserver/options/plugins.go, plugin/pkg/admission.
#pragma once

#include "base/random.h"
#include "store/resources.h"

namespace dray::store {

/// Adds all of them to `resources`, which they borrow. `rng` names generated volumes.
/// Not among them: PodSecurity, whose default policy (privileged) refuses nothing; webhooks and
/// admission policies. NamespaceLifecycle is what Resources does of itself.
void add_default_admission(Resources& resources, Rng rng);

}  // namespace dray::store
