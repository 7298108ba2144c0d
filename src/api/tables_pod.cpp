/// The pod's row: the one table whose cells are decisions.
#include <algorithm>

#include <fmt/core.h>

#include "api/core_pod.h"
#include "api/hooks.h"
#include "api/tables.h"
#include "api/tables_text.h"

namespace dray::api {
namespace {

struct Restarts {
  int count = 0;
  Time last;

  void add(const core::ContainerStatus& status) {
    count += status.restart_count;
    if (status.last_state.terminated) last = std::max(last, status.last_state.terminated->finished_at);
  }
};

struct Summary {
  std::string reason;
  int ready = 0, total = 0;
  Restarts restarts;
};

bool has_true_condition(const core::PodStatus& status, std::string_view type) {
  return std::ranges::any_of(status.conditions, [&](const core::PodCondition& condition) {
    return condition.type == type && condition.status == "True";
  });
}

/// "Completed", or what the exit says where the runtime gave no reason.
std::string ended(const core::ContainerStateTerminated& state) {
  if (!state.reason.empty()) return state.reason;
  return state.signal != 0 ? fmt::format("Signal:{}", state.signal) : fmt::format("ExitCode:{}", state.exit_code);
}

const core::Container* init_container(const core::Pod& pod, std::string_view name) {
  const auto found = std::ranges::find(pod.spec.init_containers, name, &core::Container::name);
  return found == pod.spec.init_containers.end() ? nullptr : &*found;
}

/// Walks the init containers up to the first that is not done. Whether there is one.
bool summarize_init(const core::Pod& pod, Summary& out, Restarts& sidecars) {
  const auto& statuses = pod.status.init_container_statuses;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const core::ContainerStatus& status = statuses[i];
    const core::Container* container = init_container(pod, status.name);
    const bool sidecar = container != nullptr && is_sidecar(*container);
    out.restarts.add(status);
    if (sidecar) sidecars.add(status);
    const auto& terminated = status.state.terminated;
    if (terminated && terminated->exit_code == 0) continue;
    if (sidecar && status.started.value_or(false)) {
      if (status.ready) ++out.ready;
      continue;
    }
    const auto& waiting = status.state.waiting;
    if (terminated) {
      out.reason = "Init:" + ended(*terminated);
    } else if (waiting && !waiting->reason.empty() && waiting->reason != "PodInitializing") {
      out.reason = "Init:" + waiting->reason;
    } else {
      out.reason = fmt::format("Init:{}/{}", i, pod.spec.init_containers.size());
    }
    return true;
  }
  return false;
}

/// From the last container to the first: the first one's reason is what is shown.
void summarize_containers(const core::Pod& pod, Summary& out) {
  bool running = false;
  std::string error;
  const auto& statuses = pod.status.container_statuses;
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    out.restarts.add(*status);
    if (status->state.waiting && !status->state.waiting->reason.empty()) {
      out.reason = status->state.waiting->reason;
    } else if (status->state.terminated) {
      out.reason = ended(*status->state.terminated);
      if (status->state.terminated->exit_code != 0) error = out.reason;
    } else if (status->ready && status->state.running) {
      running = true;
      ++out.ready;
    }
  }
  if (out.reason != "Completed") return;
  if (running && has_true_condition(pod.status, "Ready")) {
    out.reason = "Running";
  } else if (!error.empty()) {
    out.reason = error;
  } else if (running) {
    out.reason = "NotReady";
  }
}

Summary summarize(const core::Pod& pod) {
  Summary out;
  const auto& status = pod.status;
  out.reason = status.reason.empty() ? status.phase : status.reason;
  for (const core::PodCondition& condition : status.conditions)
    if (condition.type == "PodScheduled" && condition.reason == "SchedulingGated") out.reason = condition.reason;
  out.total = static_cast<int>(pod.spec.containers.size() +
                               std::ranges::count_if(pod.spec.init_containers, is_sidecar));
  Restarts sidecars;
  if (!summarize_init(pod, out, sidecars) || has_true_condition(status, "Initialized")) {
    out.restarts = sidecars;
    summarize_containers(pod, out);
  }
  if (pod.metadata.deletion_timestamp) {
    if (status.reason == "NodeLost") {
      out.reason = "Unknown";
    } else if (status.phase != "Succeeded" && status.phase != "Failed") {
      out.reason = "Terminating";
    }
  }
  return out;
}

std::string restarts_text(const Restarts& restarts, Now now) {
  if (restarts.count == 0 || restarts.last.is_zero()) return std::to_string(restarts.count);
  return fmt::format("{} ({} ago)", restarts.count, age(restarts.last, now));
}

std::string readiness_gates(const core::Pod& pod) {
  const auto& gates = pod.spec.readiness_gates;
  if (gates.empty()) return kNone;
  const auto open = std::ranges::count_if(gates, [&](const core::PodReadinessGate& gate) {
    const auto found = std::ranges::find(pod.status.conditions, gate.condition_type, &core::PodCondition::type);
    return found != pod.status.conditions.end() && found->status == "True";
  });
  return fmt::format("{}/{}", open, gates.size());
}

}  // namespace

Value::List pod_row(const Object& object, Now now) {
  const auto& pod = cast<core::Pod>(object);
  const Summary summary = summarize(pod);
  const auto& ips = pod.status.pod_ips;
  return {pod.metadata.name,
          fmt::format("{}/{}", summary.ready, summary.total),
          summary.reason,
          restarts_text(summary.restarts, now),
          age_of(object, now),
          or_text(ips.empty() ? "" : ips.front().ip, kNone),
          or_text(pod.spec.node_name, kNone),
          or_text(pod.status.nominated_node_name, kNone),
          readiness_gates(pod)};
}

Value::List pod_template_row(const Object& object, Now) {
  const auto& spec = cast<core::PodTemplate>(object).template_;
  return {object.metadata.name, container_names(spec.spec.containers), container_images(spec.spec.containers),
          labels_text(spec.metadata.labels)};
}

}  // namespace dray::api
