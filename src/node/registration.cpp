#include "node/registration.h"

#include <fmt/format.h>

namespace dray::node {
namespace {

core::NodeCondition condition(std::string_view type, bool met, std::string_view reason,
                              std::string_view message, Time now) {
  core::NodeCondition made;
  made.type = type;
  made.status = met ? "True" : "False";
  made.last_heartbeat_time = now;
  made.last_transition_time = now;
  made.reason = reason;
  made.message = message;
  return made;
}

}  // namespace

std::string host_ip(int index) {
  return fmt::format("10.{}.{}.{}", 64 + index / 65536 % 64, index / 256 % 256, index % 256);
}

std::string pod_ip(int index, int pod) {
  // A /24 of 10.128.0.0/9 a node; addresses are used again after 254 pods.
  return fmt::format("10.{}.{}.{}", 128 + index / 256 % 128, index % 256, 1 + pod % 254);
}

void fill_status(core::Node& node, const drivers::NodeGroup& group, int index, Now now) {
  auto& status = node.status;
  const Time time = Time::of(now.wall);
  status.capacity = group.capacity;
  status.allocatable = group.capacity;
  status.conditions = {
      condition("MemoryPressure", false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available", time),
      condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure", time),
      condition("PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available", time),
      condition("Ready", true, "KubeletReady", "kubelet is posting ready status", time)};
  status.addresses.clear();
  status.addresses.push_back({"InternalIP", host_ip(index)});
  status.addresses.push_back({"Hostname", node.metadata.name});
  status.node_info.kubelet_version = "v1.37.2";
  status.node_info.operating_system = "linux";
  status.node_info.architecture = "amd64";
  status.node_info.os_image = "dray simulated node";
  status.node_info.kernel_version = "simulated";
  status.node_info.container_runtime_version = "dray://0.1.0";
}

std::shared_ptr<core::Node> make_node(const drivers::NodeGroup& group, const std::string& name, int index,
                                      Now now) {
  auto node = std::make_shared<core::Node>();
  node->metadata.name = name;
  node->metadata.labels = group.labels;
  node->metadata.labels["kubernetes.io/hostname"] = name;
  node->metadata.labels["kubernetes.io/os"] = "linux";
  node->metadata.labels["kubernetes.io/arch"] = "amd64";
  node->metadata.annotations["sim.dray.dev/group"] = group.name;
  node->spec.taints = group.taints;
  fill_status(*node, group, index, now);
  return node;
}

std::shared_ptr<coordination::Lease> make_lease(const core::Node& node, Now now) {
  auto lease = std::make_shared<coordination::Lease>();
  lease->metadata.name = node.metadata.name;
  lease->metadata.namespace_ = kLeaseNamespace;
  auto& owner = lease->metadata.owner_references.emplace_back();
  owner.api_version = "v1";
  owner.kind = "Node";
  owner.name = node.metadata.name;
  owner.uid = node.metadata.uid;
  lease->spec.holder_identity = node.metadata.name;
  lease->spec.lease_duration_seconds = 40;
  lease->spec.renew_time = MicroTime::of(now.wall);
  return lease;
}

}  // namespace dray::node
