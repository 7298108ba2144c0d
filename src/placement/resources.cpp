#include "placement/resources.h"

#include <algorithm>

#include "api/core_v1.h"
#include "machinery/quantity.h"

namespace dray::placement {
namespace {

constexpr std::int64_t kDefaultMilliCpu = 100;
constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

/// Defaults for containers that say nothing about cpu or memory; 0 means none.
struct Defaults {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
};

void put(Resources& out, const std::string& name, const Quantity& amount, ScalarNames& names) {
  if (name == "cpu") {
    out.milli_cpu = amount.milli_value();
  } else if (name == "memory") {
    out.memory = amount.value();
  } else if (name == "ephemeral-storage") {
    out.ephemeral_storage = amount.value();
  } else if (name != "pods") {
    out.set_scalar(names.id(name), amount.value());
  }
}

bool is_sidecar(const core::Container& container) {
  return container.restart_policy && *container.restart_policy == "Always";
}

const core::ContainerStatus* status_of(const std::vector<core::ContainerStatus>& statuses,
                                       const std::string& name) {
  for (const auto& status : statuses) {
    if (status.name == name) return &status;
  }
  return nullptr;
}

class Requests {
 public:
  Requests(const core::Pod& pod, ScalarNames& names, Defaults defaults)
      : pod_(pod), names_(names), defaults_(defaults), infeasible_(resize_is_infeasible(pod)) {}

  [[nodiscard]] Resources sum() const {
    Resources total, sidecars, peak;
    for (const auto& c : pod_.spec.containers) total.add(of(c, pod_.status.container_statuses));
    for (const auto& c : pod_.spec.init_containers) {
      Resources own = of(c, pod_.status.init_container_statuses);
      if (is_sidecar(c)) {
        total.add(own);
        sidecars.add(own);
        own = sidecars;
      } else {
        own.add(sidecars);
      }
      peak.raise_to(own);
    }
    total.raise_to(peak);
    return total;
  }

 private:
  static bool resize_is_infeasible(const core::Pod& pod) {
    for (const auto& condition : pod.status.conditions) {
      if (condition.type == "PodResizePending" && condition.reason == "Infeasible") return true;
    }
    return false;
  }

  [[nodiscard]] Resources of(const core::Container& container,
                             const std::vector<core::ContainerStatus>& statuses) const {
    Resources wanted = resources_from(container.resources.requests, names_);
    const auto* status = status_of(statuses, container.name);
    if (status != nullptr && (!status->allocated_resources.empty() || status->resources)) {
      if (infeasible_) wanted = {};
      wanted.raise_to(resources_from(status->allocated_resources, names_));
      if (status->resources) wanted.raise_to(resources_from(status->resources->requests, names_));
    }
    if (!container.resources.requests.contains("cpu")) {
      wanted.milli_cpu = std::max(wanted.milli_cpu, defaults_.milli_cpu);
    }
    if (!container.resources.requests.contains("memory")) {
      wanted.memory = std::max(wanted.memory, defaults_.memory);
    }
    return wanted;
  }

  const core::Pod& pod_;
  ScalarNames& names_;
  Defaults defaults_;
  bool infeasible_;
};

bool may_be_pod_level(const std::string& name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

/// spec.resources replaces the containers' sum, for the resources that it names.
void apply_pod_level(const core::Pod& pod, Resources& total, ScalarNames& names) {
  if (!pod.spec.resources) return;
  for (const auto& [name, amount] : pod.spec.resources->requests) {
    if (may_be_pod_level(name)) put(total, name, amount, names);
  }
}

/// What one claim takes of the node, beside its devices.
Resources claim_resources(const core::NodeAllocatableResourceClaimStatus& status, ScalarNames& names) {
  Resources sum;
  const auto add = [&](const std::string& name, const std::optional<Quantity>& amount,
                       std::int64_t times) {
    if (!amount) return;
    Resources one;
    put(one, name, *amount, names);
    for (std::int64_t i = 0; i < times; ++i) sum.add(one);
  };
  for (const auto& mapping : status.mapping) add(mapping.name, mapping.quantity, 1);
  for (const auto& overhead : status.overhead) {
    add(overhead.name, overhead.per_pod, 1);
    add(overhead.name, overhead.per_container, static_cast<std::int64_t>(status.containers.size()));
  }
  return sum;
}

void add_claims(const core::Pod& pod, Resources& total, ScalarNames& names) {
  for (const auto& status : pod.status.node_allocatable_resource_claim_statuses) {
    total.add(claim_resources(status, names));
  }
}

}  // namespace

ScalarId ScalarNames::id(std::string_view name) {
  const auto [at, added] =
      ids_.try_emplace(std::string(name), static_cast<ScalarId>(names_.size()));
  if (added) names_.emplace_back(name);
  return at->second;
}

std::int64_t Resources::scalar(ScalarId id) const {
  for (const auto& [name, amount] : scalars) {
    if (name == id) return amount;
  }
  return 0;
}

void Resources::set_scalar(ScalarId id, std::int64_t amount) {
  const auto at = std::lower_bound(scalars.begin(), scalars.end(), id,
                                   [](const auto& have, ScalarId want) { return have.first < want; });
  if (at != scalars.end() && at->first == id) {
    at->second = amount;
  } else {
    scalars.insert(at, {id, amount});
  }
}

void Resources::add(const Resources& other) {
  milli_cpu += other.milli_cpu;
  memory += other.memory;
  ephemeral_storage += other.ephemeral_storage;
  for (const auto& [id, amount] : other.scalars) set_scalar(id, scalar(id) + amount);
}

void Resources::subtract(const Resources& other) {
  milli_cpu -= other.milli_cpu;
  memory -= other.memory;
  ephemeral_storage -= other.ephemeral_storage;
  for (const auto& [id, amount] : other.scalars) set_scalar(id, scalar(id) - amount);
}

void Resources::raise_to(const Resources& other) {
  milli_cpu = std::max(milli_cpu, other.milli_cpu);
  memory = std::max(memory, other.memory);
  ephemeral_storage = std::max(ephemeral_storage, other.ephemeral_storage);
  for (const auto& [id, amount] : other.scalars) set_scalar(id, std::max(scalar(id), amount));
}

bool Resources::is_zero() const {
  return milli_cpu == 0 && memory == 0 && ephemeral_storage == 0 &&
         std::all_of(scalars.begin(), scalars.end(), [](const auto& s) { return s.second == 0; });
}

Resources resources_from(const ResourceList& list, ScalarNames& names) {
  Resources out;
  for (const auto& [name, amount] : list) put(out, name, amount, names);
  return out;
}

PodRequests pod_requests(const core::Pod& pod, ScalarNames& names) {
  PodRequests out;
  const auto complete = [&](Resources total) {
    add_claims(pod, total, names);
    apply_pod_level(pod, total, names);
    total.add(resources_from(pod.spec.overhead, names));
    return total;
  };
  out.real = complete(Requests(pod, names, {}).sum());
  Defaults defaults{kDefaultMilliCpu, kDefaultMemory};
  if (pod.spec.resources && !pod.spec.resources->requests.empty()) {
    if (out.real.milli_cpu != 0) defaults.milli_cpu = 0;
    if (out.real.memory != 0) defaults.memory = 0;
  }
  const Resources scored = complete(Requests(pod, names, defaults).sum());
  out.scored_milli_cpu = scored.milli_cpu;
  out.scored_memory = scored.memory;
  return out;
}

}  // namespace dray::placement
