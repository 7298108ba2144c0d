/// What all handlers of one server share, and the state of one API request. Private to apiserver.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "apiserver/authentication.h"
#include "apiserver/catalog.h"
#include "apiserver/encoder.h"
#include "apiserver/exchange.h"
#include "apiserver/log_source.h"
#include "apiserver/metrics.h"
#include "apiserver/negotiation.h"
#include "apiserver/request_info.h"
#include "apiserver/user.h"
#include "base/random.h"
#include "store/resources.h"

namespace dray::apiserver {

class Authorization;

/// Handlers keep it alive by a `CorePtr`: tasks of theirs may still be queued when the server goes.
struct Core {
  Core(store::Resources& resources, Executor& executor, const Certificates& certificates, LogSource* logs);
  ~Core();

  store::Resources& resources;  // touched on the executor only
  Executor& executor;
  const Clock& clock;
  LogSource* const logs;  // touched on the executor only
  const Authentication authentication;
  std::unique_ptr<Authorization> authorization;
  Encoder encoder;
  Metrics metrics;
  std::atomic<CatalogPtr> catalog;
  std::atomic<bool> stopping{false};
  Rng token_ids = Rng::from_system();  // executor
  std::atomic<std::uint64_t> audit_ids{0};
};
using CorePtr = std::shared_ptr<Core>;

/// One request for a resource.
struct Call {
  ExchangePtr exchange;
  RequestInfo info;
  Query query;
  User user;
  CatalogPtr catalog;
  Resource resource;
  Representation representation;
  std::vector<std::string> warnings;  // of decoding; sent with whatever answer comes
  std::shared_ptr<void> slot;         // counts this call as in flight while it lives

  [[nodiscard]] const HttpRequest& request() const { return exchange->request; }
  [[nodiscard]] const api::Kind& kind() const { return *resource.kind; }
  /// The namespace of the objects: a Namespace itself has none, though its requests do.
  [[nodiscard]] std::string_view space() const { return resource.kind->namespaced ? std::string_view(info.namespace_) : std::string_view(); }
};
using CallPtr = std::shared_ptr<Call>;

/// Answers on the exchange's I/O thread; from any thread.
void reply(const CallPtr& call, std::function<HttpResponse()> make);
void reply_error(const CallPtr& call, Error error);
/// On the I/O thread.
void respond(const CallPtr& call, HttpResponse response);

/// An object of the stored version in the representation that the client asked for. I/O thread.
[[nodiscard]] HttpResponse object_response(const CorePtr& core, const CallPtr& call, int status, const ObjectPtr& object);
/// The same as a Table or PartialObjectMetadata, where the client asked for that.
[[nodiscard]] HttpResponse shaped_response(const CorePtr& core, const CallPtr& call, int status, const ObjectPtr& object);
/// Anything that is JSON already, in the client's format.
[[nodiscard]] HttpResponse value_response(const CallPtr& call, int status, std::string json);

/// Answers a write once it is durable. Executor.
void reply_written(const CorePtr& core, const CallPtr& call, int status, Result<store::Written> written);

[[nodiscard]] store::WriteOptions write_options(const Call& call);

}  // namespace dray::apiserver
