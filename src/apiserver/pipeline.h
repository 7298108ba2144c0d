/// From a request to the handler that answers it: who asks, may they, what do they mean. Private to apiserver.
#pragma once

#include "apiserver/authorization.h"
#include "apiserver/core.h"

namespace dray::apiserver {

struct InFlightLimits {
  int reads_max = 400;
  int writes_max = 200;
};

/// Thread-safe; called on I/O threads.
class Pipeline {
 public:
  Pipeline(CorePtr core, InFlightLimits limits) : core_(std::move(core)), limits_(limits) {}
  void handle(const ExchangePtr& exchange);

 private:
  void handle_resource(const ExchangePtr& exchange, RequestInfo info, Query query, User user);

  const CorePtr core_;
  const InFlightLimits limits_;
  const std::shared_ptr<std::atomic<int>> reads_ = std::make_shared<std::atomic<int>>(0);
  const std::shared_ptr<std::atomic<int>> writes_ = std::make_shared<std::atomic<int>>(0);
};

/// The user to act as, by the Impersonate-* headers; `user` without them. Errors kForbidden, kBadRequest.
[[nodiscard]] Result<User> impersonated(const Core& core, const HttpRequest& request, const User& user, const Attributes& asked);

/// /healthz, /version, /metrics, /openapi and discovery; false if there is no such path.
[[nodiscard]] bool handle_path(const Core& core, const ExchangePtr& exchange, const RequestInfo& info, const Query& query);

}  // namespace dray::apiserver
