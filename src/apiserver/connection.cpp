#include "apiserver/connection.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "apiserver/tls.h"

namespace dray::apiserver {
namespace {

/// Pieces up to this size are copied together; larger ones are sent as they are.
constexpr std::size_t kGatherBytes = 16 * 1024;

}  // namespace

Session::Session(IoThread& thread, std::unique_ptr<TlsSocket> socket, std::shared_ptr<const Peer> peer)
    : thread_(thread), socket_(std::move(socket)), peer_(std::move(peer)), timer_(thread.io) {
  thread_.sessions.insert(this);
}

Session::~Session() {
  thread_.sessions.erase(this);
  thread_.connections.fetch_sub(1, std::memory_order_relaxed);
}

void Session::send(std::string_view bytes) {
  if (closed_) return;
  queued_bytes_ += bytes.size();
  gathering_ += bytes;
  if (!writing_) write_next();
}

void Session::send(SharedBytes bytes) {
  if (closed_ || !bytes || bytes->empty()) return;
  if (bytes->size() <= kGatherBytes) return send(std::string_view(*bytes));
  if (!gathering_.empty()) queue_.push_back(shared(std::exchange(gathering_, {})));
  queued_bytes_ += bytes->size();
  queue_.push_back(std::move(bytes));
  if (!writing_) write_next();
}

void Session::write_next() {
  if (queue_.empty()) {
    if (gathering_.empty()) return;
    writing_ = shared(std::exchange(gathering_, {}));
  } else {
    writing_ = std::move(queue_.front());
    queue_.pop_front();
  }
  asio::async_write(*socket_, asio::buffer(*writing_), [self = shared_from_this()](const boost::system::error_code& error, std::size_t n) {
    self->queued_bytes_ -= std::min(self->queued_bytes_, n);
    self->writing_.reset();
    if (error) return self->close();
    if (self->closed_) return;
    self->write_next();
    if (!self->writing_) self->on_sent();
  });
}

void Session::close() {
  if (std::exchange(closed_, true)) return;
  timer_.cancel();
  boost::system::error_code ignored;
  socket_->lowest_layer().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_->lowest_layer().close(ignored);
  on_closed();
}

void Session::set_deadline(std::chrono::steady_clock::duration from_now) {
  // The timer is moved only when it fires too early, so that a request costs no timer operation.
  deadline_ = asio::steady_timer::clock_type::now() + from_now;
  if (!timer_runs_ || timer_.expiry() > deadline_) watch_deadline();
}

void Session::watch_deadline() {
  timer_runs_ = true;
  timer_.expires_at(deadline_);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || self->closed_ || error) return;
    if (asio::steady_timer::clock_type::now() >= self->deadline_) return self->close();
    self->watch_deadline();
  });
}

namespace {

/// Holds a socket until its handshake is over or takes too long.
struct Handshake : std::enable_shared_from_this<Handshake> {
  Handshake(IoThread& t, asio::ip::tcp::socket s)
      : thread(t), socket(std::make_unique<TlsSocket>(std::move(s), *t.tls)), timer(t.io) {
    thread.connections.fetch_add(1, std::memory_order_relaxed);
  }
  ~Handshake() {
    if (!handed_on) thread.connections.fetch_sub(1, std::memory_order_relaxed);
  }

  void start() {
    timer.expires_after(kHandshakeTimeout);
    timer.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (!self || error || !self->socket) return;
      boost::system::error_code ignored;
      self->socket->lowest_layer().close(ignored);
    });
    socket->async_handshake(TlsSocket::server, [self = shared_from_this()](const boost::system::error_code& error) {
      self->timer.cancel();
      if (!error && !self->thread.stopping) self->hand_on();
    });
  }

  void hand_on() {
    handed_on = true;
    const TlsPeer peer = peer_of(socket->native_handle());
    auto session = peer.http2 ? make_http2_session(thread, std::move(socket), peer.identity)
                              : make_http1_session(thread, std::move(socket), peer.identity);
    session->start();
  }

  IoThread& thread;
  std::unique_ptr<TlsSocket> socket;
  asio::steady_timer timer;
  bool handed_on = false;
};

}  // namespace

void serve_connection(IoThread& thread, asio::ip::tcp::socket socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  std::make_shared<Handshake>(thread, std::move(socket))->start();
}

}  // namespace dray::apiserver
