/// One request and its answer, over HTTP/1.1, HTTP/2 or a WebSocket. Handlers know nothing of the protocol.
///
/// Thread: `post` from any thread; everything else on the exchange's I/O thread, where the handler
/// starts and where posted tasks run.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiserver/http.h"
#include "base/executor.h"

namespace dray::apiserver {

class Exchange {
 public:
  explicit Exchange(HttpRequest r) : request(std::move(r)) {}
  virtual ~Exchange() = default;

  const HttpRequest request;

  /// Runs `task` on this exchange's I/O thread. Thread-safe. Dropped once the server has stopped.
  virtual void post(Task task) = 0;
  /// Runs `task` there after `delay`, unless the exchange ends before.
  virtual void after(Duration delay, Task task) = 0;

  /// The whole answer. Once, or `start_stream` instead.
  virtual void respond(HttpResponse response) = 0;
  /// Sends status and headers at once; the body follows by `write`, ends by `finish`.
  virtual void start_stream(HttpResponse head) = 0;
  /// A piece of the stream; a text message where the exchange is a WebSocket.
  virtual void write(SharedBytes piece) = 0;
  virtual void finish() = 0;
  /// Bytes written that the peer has not taken yet.
  [[nodiscard]] virtual std::size_t unsent() const = 0;
  /// Ends the connection (HTTP/2: the stream) without ceremony.
  virtual void abort() = 0;
  /// Whether the peer is gone or the answer complete.
  [[nodiscard]] virtual bool closed() const = 0;
  /// Called once, when the stream ended from either side.
  std::function<void()> on_closed;
};
using ExchangePtr = std::shared_ptr<Exchange>;

/// What a connection hands its requests to; called on the connection's I/O thread.
using Handler = std::function<void(const ExchangePtr&)>;

}  // namespace dray::apiserver
