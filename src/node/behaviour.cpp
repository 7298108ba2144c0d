#include "node/behaviour.h"

#include <charconv>

#include "machinery/time.h"

namespace dray::node {
namespace {

std::optional<Duration> duration_at(const std::map<std::string, std::string>& annotations,
                                    std::string_view key) {
  const auto found = annotations.find(std::string(key));
  if (found == annotations.end()) return std::nullopt;
  const auto parsed = GoDuration::parse(found->second);
  if (!parsed || parsed->nanoseconds < 0) return std::nullopt;
  return Duration(parsed->nanoseconds);
}

}  // namespace

Behaviour behaviour_of(const std::map<std::string, std::string>& annotations) {
  Behaviour behaviour;
  behaviour.start_delay = duration_at(annotations, kStartDelay).value_or(Duration{});
  behaviour.run_time = duration_at(annotations, kRunTime);
  behaviour.stop_delay = duration_at(annotations, kStopDelay).value_or(Duration{});
  if (const auto code = annotations.find(std::string(kExitCode)); code != annotations.end()) {
    std::from_chars(code->second.data(), code->second.data() + code->second.size(), behaviour.exit_code);
  }
  return behaviour;
}

}  // namespace dray::node
