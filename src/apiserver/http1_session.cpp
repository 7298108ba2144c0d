/// HTTP/1.1: keep-alive, chunked streams, WebSocket upgrades.
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "apiserver/compress.h"
#include "apiserver/connection.h"
#include "apiserver/websocket.h"
#include "machinery/base64.h"

namespace dray::apiserver {
namespace {

namespace http = boost::beast::http;

/// A head and a body up to this size go out in one record.
constexpr std::size_t kSendTogetherMax = 16 * 1024;

class Http1Session;

/// A request of a session, and its answer.
class Http1Exchange final : public Exchange, public std::enable_shared_from_this<Http1Exchange> {
 public:
  Http1Exchange(HttpRequest request, std::shared_ptr<Http1Session> session, IoThread& thread)
      : Exchange(std::move(request)), session_(std::move(session)), thread_(thread) {}
  void post(Task task) override { asio::post(thread_.io, std::move(task)); }
  void after(Duration delay, Task task) override;
  void respond(HttpResponse response) override;
  void start_stream(HttpResponse head) override;
  void write(SharedBytes piece) override;
  void finish() override;
  [[nodiscard]] std::size_t unsent() const override;
  void abort() override;
  [[nodiscard]] bool closed() const override { return session_ == nullptr; }

  /// The session lets go of this exchange.
  void end() {
    const auto keep = shared_from_this();
    session_.reset();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

 private:
  std::shared_ptr<Http1Session> session_;
  IoThread& thread_;
};

class Http1Session final : public Session {
 public:
  using Session::Session;

  void start() override { read(); }
  void drain() override;

  void respond(const HttpResponse& response);
  void start_stream(const HttpResponse& head);
  void write_piece(const SharedBytes& piece);
  void finish_stream();
  [[nodiscard]] std::size_t pending() const { return unsent(); }

 protected:
  void on_sent() override;
  void on_closed() override { end_exchange(); }

 private:
  enum class Mode : std::uint8_t { kIdle, kAnswering, kStream, kWebSocket, kAfterStream, kEnding };

  std::shared_ptr<Http1Session> self() { return std::static_pointer_cast<Http1Session>(shared_from_this()); }
  void read();
  void read_body();
  void on_read(const boost::system::error_code& error);
  void hand_on(bool too_large);
  void refuse(int status, std::string text);
  std::string head_of(const HttpResponse& response, bool chunked);
  void done();
  void listen_for_close();
  void on_peer_bytes();
  void discard(std::size_t so_far);
  void end_exchange();

  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<Http1Exchange> exchange_;
  Mode mode_ = Mode::kIdle;
  bool keep_alive_ = true;
  bool head_only_ = false;  // HEAD: no body
  bool draining_ = false;
  bool http10_ = false;
  bool base64_ = false;  // the WebSocket's subprotocol
};

void Http1Exchange::after(Duration delay, Task task) {
  const auto timer = std::make_shared<asio::steady_timer>(thread_.io, std::chrono::duration_cast<std::chrono::steady_clock::duration>(delay));
  timer->async_wait([timer, weak = weak_from_this(), task = std::move(task)](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error && !self->closed()) task();
  });
}
void Http1Exchange::respond(HttpResponse response) {
  if (!session_) return;
  compress_if_wanted(request, response);
  session_->respond(response);
}
void Http1Exchange::start_stream(HttpResponse head) {
  if (session_) session_->start_stream(head);
}
void Http1Exchange::write(SharedBytes piece) {
  if (session_) session_->write_piece(piece);
}
void Http1Exchange::finish() {
  if (session_) session_->finish_stream();
}
std::size_t Http1Exchange::unsent() const { return session_ ? session_->pending() : 0; }
void Http1Exchange::abort() {
  if (const auto session = session_) session->close();
}

void Http1Session::read() {
  mode_ = Mode::kIdle;
  parser_.emplace();
  parser_->header_limit(kHeaderBytesMax);
  parser_->body_limit(kBodyBytesMax);
  set_deadline(kIdleTimeout);
  http::async_read_header(*socket_, buffer_, *parser_, [self = self()](const boost::system::error_code& error, std::size_t) {
    if (self->closed_) return;
    if (error) return self->on_read(error);
    self->read_body();
  });
}

void Http1Session::read_body() {
  set_deadline(kReceiveTimeout);
  if (parser_->is_done()) return on_read({});
  if (equal_ignoring_case(std::string_view(parser_->get()[http::field::expect].data(), parser_->get()[http::field::expect].size()), "100-continue")) {
    send("HTTP/1.1 100 Continue\r\n\r\n");
  }
  http::async_read(*socket_, buffer_, *parser_, [self = self()](const boost::system::error_code& error, std::size_t) {
    if (!self->closed_) self->on_read(error);
  });
}

void Http1Session::on_read(const boost::system::error_code& error) {
  if (!error) return hand_on(false);
  if (error == http::error::body_limit) return hand_on(true);
  if (error == http::error::header_limit) return refuse(431, "431 Request Header Fields Too Large");
  if (error == http::error::end_of_stream || error.category() != http::make_error_code(http::error::bad_method).category()) return close();
  refuse(400, "400 Bad Request");
}

void Http1Session::refuse(int status, std::string text) {
  mode_ = Mode::kEnding;
  keep_alive_ = false;
  send(head_of({.status = status, .content_type = "text/plain; charset=utf-8", .headers = {}, .body = shared(text)}, false) + text);
}

void Http1Session::hand_on(bool too_large) {
  auto message = parser_->release();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
  request.body = std::move(message.body());
  request.too_large = too_large;
  request.peer = peer_;
  http10_ = message.version() == 10;
  keep_alive_ = message.keep_alive() && !too_large && !draining_;
  head_only_ = request.method == "HEAD";
  mode_ = Mode::kAnswering;
  set_deadline(std::chrono::hours(24));
  exchange_ = std::make_shared<Http1Exchange>(std::move(request), self(), thread_);
  thread_.handler(exchange_);
}

std::string Http1Session::head_of(const HttpResponse& response, bool chunked) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += phrase_of(response.status);
  head += "\r\n";
  if (!response.content_type.empty()) head += "Content-Type: " + response.content_type + "\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  if (chunked) {
    head += http10_ ? "Connection: close\r\n" : "Transfer-Encoding: chunked\r\n";
  } else if (response.status >= 200 && response.status != 304) {
    head += "Content-Length: " + std::to_string(response.body ? response.body->size() : 0) + "\r\n";
  }
  if (!keep_alive_ && response.status >= 200 && !(chunked && http10_)) head += "Connection: close\r\n";
  head += "\r\n";
  return head;
}

void Http1Session::respond(const HttpResponse& response) {
  if (mode_ != Mode::kAnswering) return;
  std::string head = head_of(response, false);
  const bool with_body = !head_only_ && response.body;
  const bool together = with_body && response.body->size() <= kSendTogetherMax;
  if (together) head += *response.body;
  send(head);
  if (with_body && !together) send(response.body);
  done();
}

void Http1Session::start_stream(const HttpResponse& head) {
  if (mode_ != Mode::kAnswering) return;
  if (exchange_->request.wants_websocket()) {
    mode_ = Mode::kWebSocket;
    base64_ = websocket::wants_base64(exchange_->request);
    send(websocket::accept_head(exchange_->request));
  } else {
    mode_ = Mode::kStream;
    send(head_of(head, true));
  }
  listen_for_close();
}

void Http1Session::write_piece(const SharedBytes& piece) {
  if (!piece || piece->empty()) return;
  if (mode_ == Mode::kWebSocket) {
    const std::string text = base64_ ? base64_encode(*piece) : *piece;
    send(websocket::frame_head(websocket::Opcode::kText, text.size()) + text);
  } else if (mode_ == Mode::kStream && http10_) {
    send(piece);
  } else if (mode_ == Mode::kStream) {
    char size[24];
    const int n = std::snprintf(size, sizeof size, "%zx\r\n", piece->size());
    std::string chunk(size, static_cast<std::size_t>(n));
    send(chunk.append(*piece).append("\r\n"));
  }
}

void Http1Session::finish_stream() {
  if (mode_ == Mode::kWebSocket) {
    keep_alive_ = false;
    send(websocket::close_frame());
  } else if (mode_ == Mode::kStream) {
    if (!http10_) send("0\r\n\r\n");
    if (http10_) keep_alive_ = false;
  } else {
    return;
  }
  // The read that waits for the peer to leave gets its next request instead.
  mode_ = keep_alive_ ? Mode::kAfterStream : Mode::kEnding;
  set_deadline(keep_alive_ ? std::chrono::seconds(kIdleTimeout) : std::chrono::seconds(2));
  end_exchange();
}

void Http1Session::done() {
  end_exchange();
  mode_ = Mode::kEnding;
}

void Http1Session::end_exchange() {
  if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->end();
}

void Http1Session::on_sent() {
  if (mode_ != Mode::kEnding) return;
  if (keep_alive_ && !draining_) return read();
  boost::system::error_code ignored;
  socket_->lowest_layer().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  set_deadline(std::chrono::seconds(2));
  discard(0);
}

/// What the peer still sends is read and dropped, so that the kernel does not reset the connection
/// before the peer has read the answer.
void Http1Session::discard(std::size_t so_far) {
  buffer_.consume(buffer_.size());
  socket_->next_layer().async_read_some(buffer_.prepare(16 * 1024), [self = self(), so_far](const boost::system::error_code& error, std::size_t n) {
    if (error || so_far + n > 4 * kBodyBytesMax) return self->close();
    if (!self->closed_) self->discard(so_far + n);
  });
}

void Http1Session::listen_for_close() {
  socket_->async_read_some(buffer_.prepare(4096), [self = self()](const boost::system::error_code& error, std::size_t n) {
    if (self->closed_) return;
    if (error) return self->close();
    self->buffer_.commit(n);
    if (self->mode_ == Mode::kAfterStream) return self->read();
    self->on_peer_bytes();
  });
}

void Http1Session::on_peer_bytes() {
  if (mode_ == Mode::kStream && buffer_.size() > kHeaderBytesMax) return close();
  while (mode_ == Mode::kWebSocket) {
    const auto data = buffer_.data();
    const auto message = websocket::parse_frame({static_cast<const char*>(data.data()), data.size()});
    if (message.size == 0) break;
    buffer_.consume(message.size);
    if (message.bad) return close();
    if (message.opcode == websocket::Opcode::kPing) {
      send(websocket::frame_head(websocket::Opcode::kPong, message.payload.size()) + message.payload);
    } else if (message.opcode == websocket::Opcode::kClose) {
      finish_stream();
    }
  }
  if (mode_ == Mode::kStream || mode_ == Mode::kWebSocket) listen_for_close();
}

void Http1Session::drain() {
  draining_ = true;
  keep_alive_ = false;
  if (mode_ == Mode::kIdle || mode_ == Mode::kAfterStream) return close();
  finish_stream();
}

}  // namespace

std::shared_ptr<Session> make_http1_session(IoThread& thread, std::unique_ptr<TlsSocket> socket,
                                            std::shared_ptr<const Peer> peer) {
  return std::make_shared<Http1Session>(thread, std::move(socket), std::move(peer));
}

}  // namespace dray::apiserver
