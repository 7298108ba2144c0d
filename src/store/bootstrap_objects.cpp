#include "store/bootstrap_objects.h"

#include <string>

#include "api/core_v1.h"
#include "api/scheduling_v1.h"
#include "store/resources.h"

namespace dray::store {
namespace {

template <class T>
Result<> make(Resources& resources, std::shared_ptr<T> object) {
  const api::Kind& kind = resources.registry().of<T>();
  if (resources.store().get(kind, object->namespace_(), object->name())) return {};
  TRY(resources.create(kind, std::move(object)));
  return {};
}

Result<> make_namespace(Resources& resources, const char* name) {
  auto space = std::make_shared<core::Namespace>();
  space->metadata.name = name;
  return make(resources, std::move(space));
}

Result<> make_priority(Resources& resources, const char* name, std::int32_t value, const char* description) {
  auto one = std::make_shared<scheduling::PriorityClass>();
  one->metadata.name = name;
  one->value = value;
  one->description = description;
  return make(resources, std::move(one));
}

/// The first address of Kubernetes' default range of services.
Result<> make_service(Resources& resources) {
  auto service = std::make_shared<core::Service>();
  service->metadata.namespace_ = "default";
  service->metadata.name = "kubernetes";
  service->metadata.labels = {{"component", "apiserver"}, {"provider", "kubernetes"}};
  service->spec.type = "ClusterIP";
  service->spec.cluster_ip = "10.0.0.1";
  service->spec.cluster_ips = {"10.0.0.1"};
  service->spec.session_affinity = "None";
  core::ServicePort& port = service->spec.ports.emplace_back();
  port.name = "https";
  port.protocol = "TCP";
  port.port = 443;
  port.target_port = IntOrString(6443);
  return make(resources, std::move(service));
}

}  // namespace

Result<> make_bootstrap_objects(Resources& resources) {
  for (const char* name : {"kube-system", "kube-public", "kube-node-lease", "default"}) TRY(make_namespace(resources, name));
  TRY(make_priority(resources, "system-node-critical", 2'000'001'000,
                    "Used for system critical pods that must not be moved from their current node."));
  TRY(make_priority(resources, "system-cluster-critical", 2'000'000'000,
                    "Used for system critical pods that must run in the cluster, but can be moved to another node if "
                    "necessary."));
  return make_service(resources);
}

}  // namespace dray::store
