/// Where GET pods/x/log gets its text: the nodes, behind one interface.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "machinery/time.h"

namespace dray::apiserver {

struct LogRequest {
  std::string namespace_, pod, container;
  bool follow = false, previous = false, timestamps = false;
  std::optional<std::int64_t> since_seconds, tail_lines, limit_bytes;
  std::optional<Time> since_time;
};

/// Thread: confined to the control plane's executor.
class LogSource {
 public:
  /// Ends the reading when destroyed; the callbacks never run after that.
  class Reading {
   public:
    virtual ~Reading() = default;
  };
  struct Sink {
    std::function<void(std::string_view text)> write;
    std::function<void()> end;
  };
  virtual ~LogSource() = default;
  /// Calls the sink now or later, `end` last; with `follow` not before the container is gone.
  /// The pod and the container exist. Error: what the client is told.
  [[nodiscard]] virtual Result<std::unique_ptr<Reading>> open(const LogRequest& request, Sink sink) = 0;
};

}  // namespace dray::apiserver
