/// The status that a kubelet reports as a pod lives: pure functions from one state to the next.
#pragma once

#include <string>
#include <string_view>

#include "machinery/time.h"

namespace dray::core {
struct Pod;
}

namespace dray::node {

/// Where a pod runs, as its status shows it.
struct Place {
  std::string host_ip, pod_ip;
};

/// All containers wait: "ContainerCreating", or why not yet.
void set_waiting(core::Pod& pod, const Place& place, Time now, std::string_view reason,
                 std::string_view message);
/// Init containers are done, the others run and are ready.
void set_running(core::Pod& pod, const Place& place, Time now);
/// All containers ended with `exit_code`; the phase is final, unless the restart policy says otherwise
/// (then the containers run again, counted in restartCount).
void set_ended(core::Pod& pod, int exit_code, Time now);
/// All containers were stopped because the pod is being deleted.
void set_stopped(core::Pod& pod, int exit_code, Time now);

/// Whether the phase is Succeeded or Failed.
[[nodiscard]] bool is_final(const core::Pod& pod);

}  // namespace dray::node
