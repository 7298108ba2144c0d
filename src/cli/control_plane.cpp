#include "cli/control_plane.h"

#include <spdlog/spdlog.h>

#include "client/local_cluster.h"
#include "controllers/controllers.h"
#include "node/simulated_nodes.h"
#include "scheduler/scheduler.h"
#include "store/admission.h"
#include "store/bootstrap_objects.h"
#include "store/device_expressions.h"

namespace dray::cli {

/// Each part writes under a name of its own, as its Kubernetes counterpart does.
struct ControlPlane::Impl {
  store::DeviceExpressions expressions;
  store::Resources resources;
  client::LocalCluster server, scheduler_cluster, controllers_cluster, node_cluster;
  std::unique_ptr<controllers::Controllers> controllers;
  std::unique_ptr<scheduler::Scheduler> scheduler;
  std::unique_ptr<node::SimulatedNodes> nodes;

  Impl(Executor& executor, store::Store& store, const api::Registry& registry,
       const api::FeatureGates& gates, const Rng& rng, Parts parts)
      : resources(store, registry, gates, executor.clock(), rng.fork("resources")),
        server(executor, resources, rng.fork("server"), "system:apiserver"),
        scheduler_cluster(executor, resources, rng.fork("scheduler"), "system:kube-scheduler"),
        controllers_cluster(executor, resources, rng.fork("controllers"), "system:kube-controller-manager"),
        node_cluster(executor, resources, rng.fork("nodes"), "system:nodes") {
    resources.set_expressions(&expressions);
    store::add_default_admission(resources, rng.fork("admission"));
    if (parts.controllers) controllers = std::make_unique<controllers::Controllers>(controllers_cluster);
    if (parts.scheduler) {
      scheduler::Options options;
      options.device_preemption = gates.enabled("DrayDevicePreemption");
      scheduler = std::make_unique<scheduler::Scheduler>(scheduler_cluster, options);
    }
    if (!parts.fleet.groups.empty()) {
      nodes = std::make_unique<node::SimulatedNodes>(node_cluster, std::move(parts.fleet));
    }
  }
};

ControlPlane::ControlPlane(Executor& executor, store::Store& store, const api::Registry& registry,
                           const api::FeatureGates& gates, Rng rng, Parts parts)
    : impl_(std::make_unique<Impl>(executor, store, registry, gates, rng, std::move(parts))) {}
ControlPlane::~ControlPlane() = default;

void ControlPlane::start() {
  if (const auto made = store::make_bootstrap_objects(impl_->resources); !made) {
    spdlog::error("bootstrap.failed error={}", made.error().message);
  }
  if (impl_->controllers) impl_->controllers->start();
  if (impl_->nodes) impl_->nodes->start();
  if (impl_->scheduler) impl_->scheduler->start();
}

store::Resources& ControlPlane::resources() { return impl_->resources; }
client::Cluster& ControlPlane::cluster() { return impl_->server; }
node::SimulatedNodes* ControlPlane::nodes() { return impl_->nodes.get(); }
const scheduler::Counters* ControlPlane::scheduler_counters() const {
  return impl_->scheduler ? &impl_->scheduler->counters() : nullptr;
}

}  // namespace dray::cli
