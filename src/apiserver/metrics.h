/// The server's own numbers, and the text of /metrics. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace dray::apiserver {

class Metrics {
 public:
  Metrics();
  ~Metrics();

  /// A finished request: Kubernetes' apiserver_request_total and its duration.
  void request(std::string_view verb, std::string_view group, std::string_view version, std::string_view resource,
               std::string_view subresource, int code, Duration took);
  void in_flight(std::string_view kind, int delta);  // "readOnly", "mutating"
  void watches(std::string_view group, std::string_view version, std::string_view kind, int delta);
  void connections(int now);

  [[nodiscard]] std::string text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::apiserver
