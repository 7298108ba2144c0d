/// A control plane in one process and in virtual time, as far as scheduling goes: store, API semantics,
/// scheduler, and what admission and controllers do for pods with priorities and claims.
#pragma once

#include <memory>
#include <string>

#include "api/core_v1.h"
#include "api/node_v1.h"
#include "api/resource_v1.h"
#include "api/scheduling_v1.h"
#include "base/executor.h"
#include "client/local_cluster.h"
#include "scheduler/scheduler.h"
#include "store/memory_store.h"

namespace dray::scenario {

class World {
 public:
  explicit World(std::string_view gates = {}, std::uint64_t seed = 1, scheduler::Options options = {})
      : registry_(api::Registry::built_in()), gates_(*api::FeatureGates::parse(gates)), store_(executor_),
        resources_(store_, registry_, gates_, executor_.clock(), Rng(seed).fork("resources")),
        cluster_(executor_, resources_, Rng(seed).fork("cluster"), "system:kube-scheduler"),
        scheduler_(std::make_unique<scheduler::Scheduler>(cluster_, options)) {
    resources_.add_admission([this](store::AdmissionRequest& request) { return admit(request); });
    client::Handler handler;
    handler.added = [this](const ObjectPtr& pod) { make_claims(static_cast<const core::Pod&>(*pod)); };
    handler.updated = [this](const ObjectPtr&, const ObjectPtr& pod) { clean_up(static_cast<const core::Pod&>(*pod)); };
    handler.deleted = [this](const ObjectPtr& pod) { forget(static_cast<const core::Pod&>(*pod)); };
    cluster_.informer<core::Pod>().add_handler(std::move(handler));
    scheduler_->start();
    executor_.run_ready();
  }

  [[nodiscard]] VirtualExecutor& executor() { return executor_; }
  [[nodiscard]] store::Resources& resources() { return resources_; }
  [[nodiscard]] client::LocalCluster& cluster() { return cluster_; }
  [[nodiscard]] scheduler::Scheduler& scheduler() { return *scheduler_; }
  /// A new scheduler process, over what is stored.
  void restart_scheduler(scheduler::Options options = {}) {
    scheduler_.reset();
    scheduler_ = std::make_unique<scheduler::Scheduler>(cluster_, options);
    scheduler_->start();
  }

 private:
  Result<> admit(store::AdmissionRequest& request) {
    if (request.operation != store::Operation::kCreate || request.kind.name != "Pod" ||
        !request.options.subresource.empty()) {
      return {};
    }
    auto& spec = static_cast<core::Pod&>(*request.object).spec;
    spec.priority = 0;
    spec.preemption_policy = "PreemptLowerPriority";
    if (const auto priority = cluster_.get<scheduling::PriorityClass>("", spec.priority_class_name)) {
      spec.priority = priority->value;
      if (priority->preemption_policy) spec.preemption_policy = *priority->preemption_policy;
    }
    if (const auto runtime = cluster_.get<node::RuntimeClass>("", spec.runtime_class_name.value_or(""))) {
      if (runtime->overhead) spec.overhead = runtime->overhead->pod_fixed;
    }
    return {};
  }

  void make_claims(const core::Pod& pod) {
    std::vector<core::PodResourceClaimStatus> made;
    for (const auto& entry : pod.spec.resource_claims) {
      if (!entry.resource_claim_template_name) continue;
      const auto source = cluster_.get<resource::ResourceClaimTemplate>(pod.metadata.namespace_, *entry.resource_claim_template_name);
      if (source == nullptr) continue;
      auto claim = std::make_shared<resource::ResourceClaim>();
      claim->metadata.namespace_ = pod.metadata.namespace_;
      claim->metadata.generate_name = pod.metadata.name + "-" + entry.name + "-";
      claim->metadata.labels = source->spec.metadata.labels;
      claim->metadata.annotations = source->spec.metadata.annotations;
      claim->metadata.annotations["resource.kubernetes.io/pod-claim-name"] = entry.name;
      meta::OwnerReference owner;
      owner.api_version = "v1";
      owner.kind = "Pod";
      owner.name = pod.metadata.name;
      owner.uid = pod.metadata.uid;
      owner.controller = true;
      owner.block_owner_deletion = true;
      claim->metadata.owner_references.push_back(owner);
      claim->spec = source->spec.spec;
      cluster_.create(claim, [&](const Result<ObjectPtr>& result) {
        if (result) made.push_back({entry.name, (*result)->metadata.name});
      });
    }
    if (made.empty()) return;
    const auto now = cluster_.get<core::Pod>(pod.metadata.namespace_, pod.metadata.name);
    if (now == nullptr) return;
    auto fresh = std::make_shared<core::Pod>(*now);
    fresh->status.resource_claim_statuses = std::move(made);
    cluster_.update_status(fresh, {});
  }

  void clean_up(const core::Pod& pod) {
    if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") forget(pod);
  }

  void forget(const core::Pod& pod) {
    for (const auto& object : cluster_.informer<resource::ResourceClaim>().list(pod.metadata.namespace_)) {
      auto claim = std::make_shared<resource::ResourceClaim>(static_cast<const resource::ResourceClaim&>(*object));
      const bool used = std::erase_if(claim->status.reserved_for, [&](const auto& user) { return user.uid == pod.metadata.uid; }) > 0;
      if (used && claim->status.reserved_for.empty()) claim->status.allocation.reset();
      ObjectPtr now = object;
      if (used) cluster_.update_status(claim, [&](const Result<ObjectPtr>& result) { if (result) now = *result; });
      const bool owned = std::ranges::any_of(claim->metadata.owner_references, [&](const auto& o) { return o.uid == pod.metadata.uid; });
      auto fresh = std::make_shared<resource::ResourceClaim>(static_cast<const resource::ResourceClaim&>(*now));
      if (!fresh->status.allocation && std::erase(fresh->metadata.finalizers, "resource.kubernetes.io/delete-protection") > 0) {
        cluster_.update(fresh, {});
      }
      if (owned) cluster_.remove(resource::ResourceClaim::kDescriptor, object->metadata.namespace_, object->metadata.name, {}, {});
    }
  }

  VirtualExecutor executor_{WallTime(std::chrono::seconds(1'790'000'000))};
  api::Registry registry_;
  api::FeatureGates gates_;
  store::MemoryStore store_;
  store::Resources resources_;
  client::LocalCluster cluster_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
};

}  // namespace dray::scenario
