/// The API server: HTTPS on one side, the control plane's store on the other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/certificates.h"
#include "apiserver/log_source.h"
#include "base/error.h"
#include "base/executor.h"
#include "store/resources.h"

namespace dray::apiserver {

inline constexpr std::string_view kKubernetesVersion = "v1.37.2";

/// Serves what the registry of `resources` has.
/// Thread: `start`, `port` and `stop` from any one thread, not from the executor.
class Server {
 public:
  struct Options {
    std::string address = "127.0.0.1";
    int port = 0;  // 0: any free one
    Certificates certificates;
    int threads = 0;  // for I/O; 0: by the machine
    /// --runtime-config: "resource.k8s.io/v1beta1" -> true
    std::map<std::string, bool, std::less<>> runtime_config;
    /// Requests at a time, as kube-apiserver's --max-requests-inflight and its mutating kin.
    int reads_in_flight_max = 400, writes_in_flight_max = 200;
    int connections_max = 10000;
  };

  /// `logs` may be null: log requests are refused. All references outlive the server.
  Server(Options options, store::Resources& resources, Executor& executor, LogSource* logs = nullptr);
  ~Server();

  /// Listens. Error kUnavailable: the address is in use, ...
  [[nodiscard]] Result<> start();
  [[nodiscard]] int port() const;
  /// "https://127.0.0.1:6443"
  [[nodiscard]] std::string url() const;
  /// Refuses new connections, ends watches, lets requests in progress finish for up to a second.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::apiserver
