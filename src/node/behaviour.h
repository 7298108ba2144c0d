/// How a pod behaves on a simulated node: read from its annotations.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"

namespace dray::node {

inline constexpr std::string_view kStartDelay = "sim.dray.dev/start-delay";  // "2s": until it runs
inline constexpr std::string_view kRunTime = "sim.dray.dev/run-time";        // "1m": until it ends; absent: for ever
inline constexpr std::string_view kExitCode = "sim.dray.dev/exit-code";      // "1": with which it ends
inline constexpr std::string_view kStopDelay = "sim.dray.dev/stop-delay";    // "5s": from the signal to the end

struct Behaviour {
  Duration start_delay{};
  std::optional<Duration> run_time;
  Duration stop_delay{};
  int exit_code = 0;
};

/// What does not parse keeps its default, as a kubelet ignores annotations that it does not know.
[[nodiscard]] Behaviour behaviour_of(const std::map<std::string, std::string>& annotations);

}  // namespace dray::node
