/// TLS connections: what the HTTP/1.1 and HTTP/2 sessions share. Private to apiserver.
/// Thread: a connection lives on one I/O thread.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <set>

#include "apiserver/exchange.h"

namespace dray::apiserver {

namespace asio = boost::asio;
using TlsSocket = asio::ssl::stream<asio::ip::tcp::socket>;

/// kube-apiserver's limit on a request's body.
inline constexpr std::size_t kBodyBytesMax = 3 * 1024 * 1024;
/// Of all headers of one request; Go's default is 1 MiB, no client comes near 64 KiB.
inline constexpr std::size_t kHeaderBytesMax = 64 * 1024;
inline constexpr auto kHandshakeTimeout = std::chrono::seconds(10);
/// A keep-alive connection without requests; Go clients close theirs after 90 s.
inline constexpr auto kIdleTimeout = std::chrono::seconds(180);
/// From the first to the last byte of one request.
inline constexpr auto kReceiveTimeout = std::chrono::seconds(60);

class Session;

/// What the connections of one I/O thread share.
struct IoThread {
  asio::io_context io{1};
  asio::ssl::context* tls = nullptr;
  Handler handler;
  std::set<Session*> sessions;  // alive
  std::atomic<int> connections{0};
  bool stopping = false;
};

/// A connection after its handshake.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(IoThread& thread, std::unique_ptr<TlsSocket> socket, std::shared_ptr<const Peer> peer);
  virtual ~Session();
  virtual void start() = 0;
  /// Ends streams, closes when nothing is in progress any more.
  virtual void drain() = 0;
  /// Closes the socket now.
  void close();

 protected:
  /// Queues bytes; small pieces are gathered into one record.
  void send(std::string_view bytes);
  void send(SharedBytes bytes);
  [[nodiscard]] std::size_t unsent() const { return queued_bytes_; }
  /// Called when everything queued has been taken by the kernel.
  virtual void on_sent() = 0;
  virtual void on_closed() = 0;
  void set_deadline(std::chrono::steady_clock::duration from_now);

  IoThread& thread_;
  std::unique_ptr<TlsSocket> socket_;
  std::shared_ptr<const Peer> peer_;
  bool closed_ = false;

 private:
  void write_next();
  void watch_deadline();

  std::deque<SharedBytes> queue_;
  std::string gathering_;
  SharedBytes writing_;
  std::size_t queued_bytes_ = 0;
  asio::steady_timer timer_;
  std::chrono::steady_clock::time_point deadline_;
  bool timer_runs_ = false;
};

[[nodiscard]] std::shared_ptr<Session> make_http1_session(IoThread& thread, std::unique_ptr<TlsSocket> socket,
                                                          std::shared_ptr<const Peer> peer);
[[nodiscard]] std::shared_ptr<Session> make_http2_session(IoThread& thread, std::unique_ptr<TlsSocket> socket,
                                                          std::shared_ptr<const Peer> peer);

/// Handshakes, then serves. Called on the thread's I/O thread.
void serve_connection(IoThread& thread, asio::ip::tcp::socket socket);

}  // namespace dray::apiserver
