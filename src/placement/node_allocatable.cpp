#include "placement/node_allocatable.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "machinery/quantity.h"
#include "placement/filters.h"

namespace dray::placement {
namespace {

/// The product as Kubernetes writes it: with the format of the left side.
Quantity product(Quantity amount, const Quantity& by) {
  std::int64_t factor = 0;
  if (by.as_int64(factor) && amount.multiply(factor)) return amount;
  return Quantity::of(static_cast<std::int64_t>(amount.as_double() * by.as_double() * 1000), -3, amount.format());
}

struct Sums {
  std::map<std::string, Quantity> mapped;
  std::map<std::string, core::NodeAllocatableOverheadResources> overhead;
};

void add(std::optional<Quantity>& sum, const std::optional<Quantity>& more) {
  if (!more) return;
  if (sum) {
    *sum += *more;
  } else {
    sum = more;
  }
}

void add_mapping(const std::string& name, const resource::NodeAllocatableMapping& mapping,
                 const resource::DeviceRequestAllocationResult& result, Sums& sums) {
  if (mapping.capacity_key && !mapping.capacity_key->empty()) {
    const auto consumed = result.consumed_capacity.find(*mapping.capacity_key);
    if (consumed == result.consumed_capacity.end()) return;
    Quantity amount = consumed->second;
    if (mapping.capacity_multiplier) amount = product(std::move(amount), *mapping.capacity_multiplier);
    sums.mapped[name] += amount;
  } else if (mapping.device_multiplier) {
    sums.mapped[name] += *mapping.device_multiplier;
  }
}

void add_device(const resource::Device& device, const resource::DeviceRequestAllocationResult& result,
                Sums& sums) {
  for (const auto& [name, use] : device.node_allocatable_resources) {
    if (use.mapping) add_mapping(name, *use.mapping, result, sums);
    if (!use.overhead || (!use.overhead->per_pod && !use.overhead->per_container)) continue;
    auto& overhead = sums.overhead[name];
    overhead.name = name;
    add(overhead.per_pod, use.overhead->per_pod);
    add(overhead.per_container, use.overhead->per_container);
  }
}

/// Containers that use the claim, init containers first.
std::vector<std::string> users_of(const core::Pod& pod, const resource::ResourceClaim& claim) {
  std::vector<std::string> entries;
  for (const auto& entry : pod.spec.resource_claims) {
    std::string name = entry.resource_claim_name.value_or("");
    for (const auto& status : pod.status.resource_claim_statuses) {
      if (status.name == entry.name) name = status.resource_claim_name.value_or("");
    }
    if (name == claim.metadata.name) entries.push_back(entry.name);
  }
  std::vector<std::string> out;
  for (const auto* containers : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (const auto& container : *containers) {
      for (const auto& used : container.resources.claims) {
        if (std::ranges::count(entries, used.name) != 0) out.push_back(container.name);
      }
    }
  }
  return out;
}

core::Pod with_claims(const core::Pod& pod,
                      const std::vector<core::NodeAllocatableResourceClaimStatus>& claims) {
  core::Pod out = pod;
  out.status.node_allocatable_resource_claim_statuses = claims;
  return out;
}

Verdict refuse(std::string text) {
  return Verdict::no(Code::kUnresolvable, Plugin::kDynamicResources, ReasonKind::kText, std::move(text));
}

/// spec.resources, where given, has to cover containers and claims together.
Verdict check_pod_level(const core::Pod& pod, ScalarNames& names) {
  if (!pod.spec.resources) return {};
  core::Pod without = pod;
  without.spec.resources.reset();
  without.spec.overhead.clear();
  const Resources need = pod_requests(without, names).real;
  const Resources budget = resources_from(pod.spec.resources->requests, names);
  const auto covers = [&](const char* name, std::int64_t wanted, std::int64_t given) {
    if (!pod.spec.resources->requests.contains(name) || wanted <= given) return Verdict{};
    return refuse(fmt::format("pod level request for {} is insufficient to cover the aggregated container and "
                              "node-allocatable DRA requests", name));
  };
  if (Verdict verdict = covers("cpu", need.milli_cpu, budget.milli_cpu); !verdict.fits()) return verdict;
  return covers("memory", need.memory, budget.memory);
}

}  // namespace

std::vector<core::NodeAllocatableResourceClaimStatus> node_resources(
    const core::Pod& pod, const std::vector<AllocatedClaim>& claims, const dra::Inventory& inventory) {
  std::vector<core::NodeAllocatableResourceClaimStatus> out;
  for (const auto& [claim, allocation] : claims) {
    Sums sums;
    for (const auto& result : allocation->devices.results) {
      const auto* device = inventory.find_device(result.driver, result.pool, result.device);
      if (device != nullptr) add_device(*device, result, sums);
    }
    if (sums.mapped.empty() && sums.overhead.empty()) continue;
    core::NodeAllocatableResourceClaimStatus status;
    status.resource_claim_name = claim->metadata.name;
    status.containers = users_of(pod, *claim);
    for (auto& [name, amount] : sums.mapped) status.mapping.push_back({name, amount});
    for (auto& [name, overhead] : sums.overhead) status.overhead.push_back(overhead);
    out.push_back(std::move(status));
  }
  std::ranges::sort(out, {}, &core::NodeAllocatableResourceClaimStatus::resource_claim_name);
  return out;
}

bool has_mapped_device(const resource::AllocationResult& allocation, const dra::Inventory& inventory) {
  return std::ranges::any_of(allocation.devices.results, [&](const auto& result) {
    const auto* device = inventory.find_device(result.driver, result.pool, result.device);
    return device != nullptr && std::ranges::any_of(device->node_allocatable_resources, [](const auto& use) {
      return use.second.mapping.has_value();
    });
  });
}

Verdict check_node_resources(const core::Pod& pod,
                             const std::vector<core::NodeAllocatableResourceClaimStatus>& claims,
                             const NodeInfo& node, ScalarNames& names) {
  if (claims.empty()) return {};
  const core::Pod whole = with_claims(pod, claims);
  if (Verdict verdict = check_pod_level(whole, names); !verdict.fits()) return verdict;
  PodInfo demand;
  demand.pod = std::make_shared<core::Pod>(whole);
  demand.requests = pod_requests(whole, names);
  std::erase_if(demand.requests.real.scalars, [&](const auto& scalar) {
    return !names.name(scalar.first).starts_with("hugepages-");
  });
  NodeInfo room;
  room.node = node.node;
  room.allocatable = node.allocatable;
  room.requested = node.requested;
  room.pods_max = 1;
  Verdict verdict = check_resources(demand, room, {}, names);
  verdict.plugin = Plugin::kDynamicResources;
  return verdict;
}

}  // namespace dray::placement
