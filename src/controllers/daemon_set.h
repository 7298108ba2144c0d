/// One pod on each node that fits.
/// Source: k8s.io/kubernetes pkg/controller/daemon.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::core {
struct Node;
struct PodSpec;
}  // namespace dray::core

namespace dray::controllers {

struct DaemonFit {
  bool should_run = false;   // a pod is made
  bool may_stay = false;     // one that is there is not removed
};
/// `spec` with the tolerations that every daemon has (`add_daemon_tolerations`). Pure.
[[nodiscard]] DaemonFit daemon_fit(const core::Node& node, const core::PodSpec& spec);
void add_daemon_tolerations(core::PodSpec& spec);

[[nodiscard]] std::unique_ptr<Controller> make_daemon_set_controller(Context context);

}  // namespace dray::controllers
