#include "node/pod_status.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/core_v1.h"

namespace dray::node {
namespace {

void set_condition(core::Pod& pod, std::string_view type, bool met, Time now, std::string_view reason = {},
                   std::string_view message = {}) {
  auto& conditions = pod.status.conditions;
  auto found = std::ranges::find(conditions, type, &core::PodCondition::type);
  if (found == conditions.end()) {
    conditions.emplace_back().type = type;
    found = std::prev(conditions.end());
  }
  const std::string_view status = met ? "True" : "False";
  if (found->status != status) found->last_transition_time = now;
  found->status = status;
  found->reason = reason;
  found->message = message;
  found->observed_generation = pod.metadata.generation;
}

std::string container_id(const core::Pod& pod, const core::Container& container, int restarts) {
  return fmt::format("dray://{}/{}/{}", pod.metadata.uid, container.name, restarts);
}

/// The statuses of `containers`, one each, in their order; what was known of a container is kept.
void align(const std::vector<core::Container>& containers, std::vector<core::ContainerStatus>& statuses) {
  std::vector<core::ContainerStatus> aligned;
  for (const core::Container& container : containers) {
    const auto known = std::ranges::find(statuses, container.name, &core::ContainerStatus::name);
    core::ContainerStatus status = known == statuses.end() ? core::ContainerStatus() : std::move(*known);
    status.name = container.name;
    status.image = container.image;
    aligned.push_back(std::move(status));
  }
  statuses = std::move(aligned);
}

void run(const core::Pod& pod, const core::Container& container, core::ContainerStatus& status, Time now) {
  status.state = {};
  status.state.running.emplace().started_at = now;
  status.ready = true;
  status.started = true;
  status.image_id = container.image;
  status.container_id = container_id(pod, container, status.restart_count);
}

void end(core::ContainerStatus& status, int exit_code, Time now) {
  const Time started = status.state.running ? status.state.running->started_at : now;
  status.state = {};
  auto& terminated = status.state.terminated.emplace();
  terminated.exit_code = exit_code;
  terminated.reason = exit_code == 0 ? "Completed" : "Error";
  terminated.started_at = started;
  terminated.finished_at = now;
  terminated.container_id = status.container_id;
  status.ready = false;
  status.started = false;
}

bool is_sidecar(const core::Container& container) { return container.restart_policy == "Always"; }

void place_at(core::Pod& pod, const Place& place, Time now) {
  auto& status = pod.status;
  status.observed_generation = pod.metadata.generation;
  status.host_ip = place.host_ip;
  status.host_ips.assign(1, core::HostIP{place.host_ip});
  if (!status.start_time) status.start_time = now;
  align(pod.spec.init_containers, status.init_container_statuses);
  align(pod.spec.containers, status.container_statuses);
}

}  // namespace

bool is_final(const core::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

void set_waiting(core::Pod& pod, const Place& place, Time now, std::string_view reason,
                 std::string_view message) {
  place_at(pod, place, now);
  pod.status.phase = "Pending";
  for (auto* statuses : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
    for (core::ContainerStatus& status : *statuses) {
      status.state = {};
      auto& waiting = status.state.waiting.emplace();
      waiting.reason = reason;
      waiting.message = message;
      status.started = false;
    }
  }
  const bool has_init = !pod.spec.init_containers.empty();
  set_condition(pod, "PodReadyToStartContainers", false, now);
  set_condition(pod, "Initialized", !has_init, now, has_init ? "ContainersNotInitialized" : "");
  std::vector<std::string> names;
  for (const core::Container& container : pod.spec.containers) names.push_back(container.name);
  const std::string unready = fmt::format("containers with unready status: [{}]", fmt::join(names, " "));
  set_condition(pod, "Ready", false, now, "ContainersNotReady", unready);
  set_condition(pod, "ContainersReady", false, now, "ContainersNotReady", unready);
}

void set_running(core::Pod& pod, const Place& place, Time now) {
  place_at(pod, place, now);
  auto& status = pod.status;
  status.phase = "Running";
  status.pod_ip = pod.spec.host_network ? place.host_ip : place.pod_ip;
  status.pod_ips.assign(1, core::PodIP{status.pod_ip});
  for (std::size_t i = 0; i < pod.spec.init_containers.size(); ++i) {
    const core::Container& container = pod.spec.init_containers[i];
    run(pod, container, status.init_container_statuses[i], now);
    if (!is_sidecar(container)) {
      end(status.init_container_statuses[i], 0, now);
      status.init_container_statuses[i].ready = true;
    }
  }
  for (std::size_t i = 0; i < pod.spec.containers.size(); ++i) {
    run(pod, pod.spec.containers[i], status.container_statuses[i], now);
  }
  for (const char* type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}) {
    set_condition(pod, type, true, now);
  }
}

void set_ended(core::Pod& pod, int exit_code, Time now) {
  const std::string& policy = pod.spec.restart_policy;
  const bool again = policy == "Always" || (policy == "OnFailure" && exit_code != 0);
  if (!again) {
    set_stopped(pod, exit_code, now);
    return;
  }
  for (std::size_t i = 0; i < pod.spec.containers.size() && i < pod.status.container_statuses.size(); ++i) {
    core::ContainerStatus& status = pod.status.container_statuses[i];
    end(status, exit_code, now);
    status.last_state = status.state;
    ++status.restart_count;
    run(pod, pod.spec.containers[i], status, now);
  }
}

void set_stopped(core::Pod& pod, int exit_code, Time now) {
  for (auto* statuses : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
    for (core::ContainerStatus& status : *statuses) {
      if (status.state.running) end(status, exit_code, now);
    }
  }
  pod.status.phase = exit_code == 0 ? "Succeeded" : "Failed";
  const std::string_view reason = exit_code == 0 ? "PodCompleted" : "PodFailed";
  set_condition(pod, "PodReadyToStartContainers", false, now);
  set_condition(pod, "Initialized", true, now, exit_code == 0 ? reason : "");
  set_condition(pod, "Ready", false, now, reason);
  set_condition(pod, "ContainersReady", false, now, reason);
}

}  // namespace dray::node
