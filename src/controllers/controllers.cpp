#include "controllers/controllers.h"

#include <algorithm>
#include <utility>

#include "api/feature_gates.h"
#include "base/check.h"
#include "controllers/cron_job.h"
#include "controllers/daemon_set.h"
#include "controllers/default_objects.h"
#include "controllers/deployment.h"
#include "controllers/device_taint_eviction.h"
#include "controllers/disruption.h"
#include "controllers/event_ttl.h"
#include "controllers/garbage_collector.h"
#include "controllers/job.h"
#include "controllers/namespaces.h"
#include "controllers/node_lifecycle.h"
#include "controllers/pod_gc.h"
#include "controllers/pod_index.h"
#include "controllers/replica_set.h"
#include "controllers/resource_claim.h"
#include "controllers/resource_quota.h"
#include "controllers/stateful_set.h"

namespace dray::controllers {

const std::vector<std::string_view>& known_controllers() {
  static const std::vector<std::string_view> names = {
      "cronjob-controller", "daemonset-controller", "default-objects-controller",
      "deployment-controller", "device-taint-eviction-controller", "disruption-controller",
      "event-ttl-controller", "garbage-collector-controller", "job-controller",
      "namespace-controller", "node-lifecycle-controller", "pod-garbage-collector-controller",
      "replicaset-controller", "resourceclaim-controller", "resourcequota-controller",
      "statefulset-controller",
  };
  return names;
}

struct Controllers::Impl {
  PodIndex pods;
  NamespaceController* namespaces = nullptr;  // one of `all`
  std::vector<std::unique_ptr<Controller>> all;

  explicit Impl(client::Cluster& cluster) : pods(cluster) {}
};

Controllers::Controllers(client::Cluster& cluster, Options options) : impl_(std::make_unique<Impl>(cluster)) {
  for (const std::string& name : options.only) CHECK(std::ranges::find(known_controllers(), name) != known_controllers().end());
  const Context context{cluster, impl_->pods};
  const auto add = [&](const char* name, auto make) {
    if (options.only.empty() || options.only.contains(name)) impl_->all.push_back(make());
  };
  // The first makes the namespaces that the others write to.
  add("default-objects-controller", [&] { return make_default_objects_controller(context, options.root_ca); });
  add("namespace-controller", [&] {
    auto made = make_namespace_controller(context);
    impl_->namespaces = made.get();
    return made;
  });
  add("garbage-collector-controller", [&] {
    return make_garbage_collector(context, [impl = impl_.get()](const Object& object) {
      if (impl->namespaces) impl->namespaces->on_removed(object.namespace_());
    });
  });
  add("deployment-controller", [&] { return make_deployment_controller(context); });
  add("replicaset-controller", [&] { return make_replica_set_controller(context); });
  add("daemonset-controller", [&] { return make_daemon_set_controller(context); });
  add("statefulset-controller", [&] { return make_stateful_set_controller(context); });
  add("cronjob-controller", [&] { return make_cron_job_controller(context); });
  add("disruption-controller", [&] { return make_disruption_controller(context); });
  if (cluster.gates().enabled("DRADeviceTaints")) {
    add("device-taint-eviction-controller", [&] { return make_device_taint_eviction_controller(context); });
  }
  add("job-controller", [&] { return make_job_controller(context); });
  add("resourceclaim-controller", [&] { return make_resource_claim_controller(context); });
  add("resourcequota-controller", [&] { return make_resource_quota_controller(context); });
  add("node-lifecycle-controller", [&] { return make_node_lifecycle_controller(context, options.node_monitor_grace); });
  add("pod-garbage-collector-controller", [&] { return make_pod_gc_controller(context); });
  add("event-ttl-controller", [&] { return make_event_ttl_controller(context, options.event_ttl); });
}

Controllers::~Controllers() = default;

void Controllers::start() {
  for (const auto& controller : impl_->all) controller->start();
  impl_->pods.start();
}

}  // namespace dray::controllers
