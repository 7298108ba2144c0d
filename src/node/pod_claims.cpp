#include "node/pod_claims.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"

namespace dray::node {
namespace {

/// The claim behind one entry of spec.resourceClaims; null if it is not made yet.
const std::string* claim_of(const core::Pod& pod, const core::PodResourceClaim& entry) {
  if (entry.resource_claim_name) return &*entry.resource_claim_name;
  const auto& statuses = pod.status.resource_claim_statuses;
  const auto found = std::ranges::find(statuses, entry.name, &core::PodResourceClaimStatus::name);
  if (found == statuses.end() || !found->resource_claim_name) return nullptr;
  return &*found->resource_claim_name;
}

const core::Container* find_container(const core::Pod& pod, std::string_view name) {
  for (const auto* containers : {&pod.spec.init_containers, &pod.spec.containers}) {
    const auto found = std::ranges::find(*containers, name, &core::Container::name);
    if (found != containers->end()) return &*found;
  }
  return nullptr;
}

bool reserved_for(const resource::ResourceClaim& claim, const core::Pod& pod) {
  return std::ranges::any_of(claim.status.reserved_for, [&](const resource::ResourceClaimConsumerReference& user) {
    return user.resource == "pods" ? user.uid == pod.metadata.uid
                                   : user.resource == "podgroups" && pod.spec.scheduling_group &&
                                         user.name == pod.spec.scheduling_group->pod_group_name;
  });
}

drivers::FindDevice find_in_slices(client::Cluster& cluster, const core::Pod& pod) {
  return [&cluster, &pod](std::string_view driver, std::string_view pool,
                          std::string_view device) -> const resource::Device* {
    // Simulated nodes have one slice a driver, named after both.
    const auto slice = cluster.get<resource::ResourceSlice>({}, fmt::format("{}-{}", pod.spec.node_name, driver));
    if (!slice || slice->spec.pool.name != pool) return nullptr;
    const auto found = std::ranges::find(slice->spec.devices, device, &resource::Device::name);
    return found == slice->spec.devices.end() ? nullptr : &*found;
  };
}

}  // namespace

std::vector<std::string> claim_names(const core::Pod& pod, std::string* missing) {
  std::vector<std::string> names;
  for (const core::PodResourceClaim& entry : pod.spec.resource_claims) {
    if (const std::string* const name = claim_of(pod, entry)) {
      names.push_back(*name);
    } else if (missing) {
      *missing = fmt::format("the claim of entry {} is not created yet", entry.name);
    }
  }
  if (pod.status.extended_resource_claim_status) {
    names.push_back(pod.status.extended_resource_claim_status->resource_claim_name);
  }
  return names;
}

std::string not_ready(client::Cluster& cluster, const core::Pod& pod) {
  std::string missing;
  for (const std::string& name : claim_names(pod, &missing)) {
    const auto claim = cluster.get<resource::ResourceClaim>(pod.metadata.namespace_, name);
    if (!claim) return fmt::format("resourceclaim {} does not exist", name);
    if (!claim->status.allocation) return fmt::format("resourceclaim {} is not allocated", name);
    if (!reserved_for(*claim, pod)) return fmt::format("resourceclaim {} is not reserved for the pod", name);
  }
  return missing;
}

drivers::Environment device_environment(client::Cluster& cluster, const core::Pod& pod,
                                        std::string_view container_name) {
  drivers::Environment environment;
  const core::Container* const container = find_container(pod, container_name);
  if (!container) return environment;
  const auto find = find_in_slices(cluster, pod);
  const auto add = [&](const std::string& claim_name, std::string_view request) {
    if (const auto claim = cluster.get<resource::ResourceClaim>(pod.metadata.namespace_, claim_name)) {
      drivers::add_environment(*claim, request, find, environment);
    }
  };
  for (const core::ResourceClaim& use : container->resources.claims) {
    const auto entry = std::ranges::find(pod.spec.resource_claims, use.name, &core::PodResourceClaim::name);
    if (entry == pod.spec.resource_claims.end()) continue;
    if (const std::string* const name = claim_of(pod, *entry)) add(*name, use.request);
  }
  if (const auto& extended = pod.status.extended_resource_claim_status) {
    for (const core::ContainerExtendedResourceRequest& mapping : extended->request_mappings) {
      if (mapping.container_name == container_name) add(extended->resource_claim_name, mapping.request_name);
    }
  }
  return environment;
}

}  // namespace dray::node
