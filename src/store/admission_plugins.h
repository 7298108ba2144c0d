/// The admission plugins, one by one, and what they share. Each is named as Kubernetes names it. A step
/// for a kind or an operation that is not its own does nothing.
#pragma once

#include <string_view>

#include "base/random.h"
#include "store/resources.h"

namespace dray::store::admission {

/// Defaults and bounds of a namespace's LimitRanges for pods, containers and volume claims. The first
/// fills in, the second (after validation) refuses.
[[nodiscard]] Admission limit_ranger_defaults(Resources& resources);
[[nodiscard]] Admission limit_ranger_bounds(Resources& resources);
/// Every pod has an account that exists; its token, the authority's certificate and the namespace are
/// mounted into each container.
[[nodiscard]] Admission service_account(Resources& resources, Rng rng);
/// A fresh node takes no pods until it is seen to be ready.
[[nodiscard]] Admission taint_nodes_by_condition();
/// Priority and preemption policy of pods and pod groups come from their class; one default class.
[[nodiscard]] Admission priority(Resources& resources);
[[nodiscard]] Admission priority_class_bounds(Resources& resources);
/// Pods stay 300 s on a node that is not ready or unreachable.
[[nodiscard]] Admission default_toleration_seconds();
/// Volume claims and ingresses without a class get the newest one that is marked as the default.
[[nodiscard]] Admission default_storage_class(Resources& resources);
[[nodiscard]] Admission default_ingress_class(Resources& resources);
/// Finalizers of what may be in use: volumes, volume claims, attribute classes; pod groups.
[[nodiscard]] Admission storage_in_use_protection(Resources& resources);
[[nodiscard]] Admission pod_group_protection(Resources& resources);
/// Overhead, node selector and tolerations of a pod's runtime class; and that no other overhead is given.
[[nodiscard]] Admission runtime_class(Resources& resources);
[[nodiscard]] Admission runtime_class_bounds(Resources& resources);
/// A pod that is created on a node carries the node's zone and region.
[[nodiscard]] Admission pod_topology_labels(Resources& resources);
/// A volume claim grows only if it is bound and its class allows it.
[[nodiscard]] Admission volume_claim_resize(Resources& resources);
/// Devices that take from a node's own resources are for nodes that declare it.
[[nodiscard]] Admission declared_features(Resources& resources);
/// A pod on a node grows only within what the node has.
[[nodiscard]] Admission pod_resize(Resources& resources);
/// Whether the namespace's quotas have room; charges them.
[[nodiscard]] Admission resource_quota(Resources& resources);

// ---- shared

/// `pods "x" is forbidden: ` and why, about the request's object.
[[nodiscard]] std::unexpected<Error> refused(const AdmissionRequest& request, std::string_view why);

/// The request's object as a T if the request is of this kind, about the object proper (no subresource),
/// and creates or updates; else null.
template <class T>
[[nodiscard]] T* object_of(const AdmissionRequest& request) {
  const bool is = request.object && request.options.subresource.empty() && request.object->type == &T::kDescriptor;
  return is ? static_cast<T*>(request.object) : nullptr;
}
/// The same for a request that creates.
template <class T>
[[nodiscard]] T* created(const AdmissionRequest& request) {
  return request.operation == Operation::kCreate ? object_of<T>(request) : nullptr;
}
template <class T>
[[nodiscard]] const T* old_of(const AdmissionRequest& request) {
  return request.old && request.old->type == &T::kDescriptor ? static_cast<const T*>(request.old) : nullptr;
}

template <class T>
[[nodiscard]] std::shared_ptr<const T> lookup(Resources& resources, std::string_view namespace_, std::string_view name) {
  return as<T>(resources.store().get(resources.registry().of<T>(), namespace_, name));
}

}  // namespace dray::store::admission
