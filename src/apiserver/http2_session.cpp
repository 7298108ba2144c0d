/// HTTP/2 by nghttp2: many exchanges over one connection.
#include <nghttp2/nghttp2.h>

#include <boost/asio/post.hpp>
#include <map>

#include "apiserver/compress.h"
#include "apiserver/connection.h"

namespace dray::apiserver {
namespace {

/// kube-apiserver allows 100 by default; client-go multiplexes all watches of a process over one.
constexpr std::uint32_t kStreamsMax = 1000;
constexpr std::int32_t kWindowBytes = 4 * 1024 * 1024;
/// nghttp2's output is not asked for while this much is still unsent.
constexpr std::size_t kUnsentMax = 256 * 1024;

class Http2Session;

/// A stream of a session. Owned by the session until the stream closes.
class Http2Exchange final : public Exchange, public std::enable_shared_from_this<Http2Exchange> {
 public:
  Http2Exchange(HttpRequest request, std::shared_ptr<Http2Session> session, IoThread& thread, std::int32_t id)
      : Exchange(std::move(request)), session_(std::move(session)), thread_(thread), id_(id) {}
  void post(Task task) override { asio::post(thread_.io, std::move(task)); }
  void after(Duration delay, Task task) override;
  void respond(HttpResponse response) override;
  void start_stream(HttpResponse head) override;
  void write(SharedBytes piece) override;
  void finish() override;
  [[nodiscard]] std::size_t unsent() const override { return queued_bytes_; }
  void abort() override;
  [[nodiscard]] bool closed() const override { return session_ == nullptr; }

  void end() {
    const auto keep = shared_from_this();
    session_.reset();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }
  /// Fills a DATA frame.
  ssize_t read(std::uint8_t* out, std::size_t size, std::uint32_t* flags);

 private:
  void submit(const HttpResponse& response);

  std::shared_ptr<Http2Session> session_;
  IoThread& thread_;
  std::int32_t id_;
  std::deque<SharedBytes> queue_;
  std::size_t offset_ = 0;  // into the first of queue_
  std::size_t queued_bytes_ = 0;
  bool answered_ = false;
  bool finished_ = false;
  bool deferred_ = false;
};

/// A request whose headers or body are still arriving.
struct Arriving {
  HttpRequest request;
  std::string authority;
};

class Http2Session final : public Session {
 public:
  Http2Session(IoThread& thread, std::unique_ptr<TlsSocket> socket, std::shared_ptr<const Peer> peer);
  ~Http2Session() override { nghttp2_session_del(http2_); }

  void start() override;
  void drain() override;
  void flush();
  nghttp2_session* raw() { return http2_; }

 protected:
  void on_sent() override { flush(); }
  void on_closed() override;

 private:
  std::shared_ptr<Http2Session> self() { return std::static_pointer_cast<Http2Session>(shared_from_this()); }
  void read();
  void hand_on(std::int32_t id);
  void stream_closed(std::int32_t id);

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user);
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* user);
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* user);

  nghttp2_session* http2_ = nullptr;
  std::map<std::int32_t, Arriving> arriving_;
  std::map<std::int32_t, std::shared_ptr<Http2Exchange>> exchanges_;
  std::array<std::uint8_t, 16 * 1024> input_;
  bool in_library_ = false;
  bool draining_ = false;
};

void Http2Exchange::after(Duration delay, Task task) {
  const auto timer = std::make_shared<asio::steady_timer>(thread_.io, std::chrono::duration_cast<std::chrono::steady_clock::duration>(delay));
  timer->async_wait([timer, weak = weak_from_this(), task = std::move(task)](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self && !error && !self->closed()) task();
  });
}

ssize_t Http2Exchange::read(std::uint8_t* out, std::size_t size, std::uint32_t* flags) {
  std::size_t n = 0;
  while (n < size && !queue_.empty()) {
    const std::string& piece = *queue_.front();
    const std::size_t part = std::min(size - n, piece.size() - offset_);
    std::memcpy(out + n, piece.data() + offset_, part);
    n += part;
    offset_ += part;
    if (offset_ == piece.size()) {
      queue_.pop_front();
      offset_ = 0;
    }
  }
  queued_bytes_ -= n;
  if (queue_.empty() && finished_) *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (n == 0 && !finished_) {
    deferred_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(n);
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

void Http2Exchange::submit(const HttpResponse& response) {
  std::vector<Header> headers{{":status", std::to_string(response.status)}};
  if (!response.content_type.empty()) headers.emplace_back("content-type", response.content_type);
  if (finished_) headers.emplace_back("content-length", std::to_string(queued_bytes_));
  for (const auto& [name, value] : response.headers) headers.emplace_back(lower(name), value);
  std::vector<nghttp2_nv> raw;
  for (auto& [name, value] : headers) {
    raw.push_back({reinterpret_cast<std::uint8_t*>(name.data()), reinterpret_cast<std::uint8_t*>(value.data()),
                   name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider source{};
  source.source.ptr = this;
  source.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t size, std::uint32_t* flags,
                            nghttp2_data_source* s, void*) {
    return static_cast<Http2Exchange*>(s->ptr)->read(out, size, flags);
  };
  nghttp2_submit_response(session_->raw(), id_, raw.data(), raw.size(), &source);
  session_->flush();
}

void Http2Exchange::respond(HttpResponse response) {
  if (!session_ || std::exchange(answered_, true)) return;
  compress_if_wanted(request, response);
  if (response.body && request.method != "HEAD") {
    queued_bytes_ = response.body->size();
    if (queued_bytes_ != 0) queue_.push_back(response.body);
  }
  finished_ = true;
  submit(response);
}

void Http2Exchange::start_stream(HttpResponse head) {
  if (!session_ || std::exchange(answered_, true)) return;
  submit(head);
}

void Http2Exchange::write(SharedBytes piece) {
  if (!session_ || finished_ || !piece || piece->empty()) return;
  queued_bytes_ += piece->size();
  queue_.push_back(std::move(piece));
  if (std::exchange(deferred_, false)) nghttp2_session_resume_data(session_->raw(), id_);
  session_->flush();
}

void Http2Exchange::finish() {
  if (!session_ || !answered_ || std::exchange(finished_, true)) return;
  if (std::exchange(deferred_, false)) nghttp2_session_resume_data(session_->raw(), id_);
  session_->flush();
}

void Http2Exchange::abort() {
  if (!session_) return;
  nghttp2_submit_rst_stream(session_->raw(), NGHTTP2_FLAG_NONE, id_, NGHTTP2_INTERNAL_ERROR);
  session_->flush();
}

Http2Session::Http2Session(IoThread& thread, std::unique_ptr<TlsSocket> socket, std::shared_ptr<const Peer> peer)
    : Session(thread, std::move(socket), std::move(peer)) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
  nghttp2_session_server_new(&http2_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
}

void Http2Session::start() {
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kStreamsMax},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindowBytes},
                                             {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHeaderBytesMax}};
  nghttp2_submit_settings(http2_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(http2_, NGHTTP2_FLAG_NONE, 0, kWindowBytes);
  set_deadline(kIdleTimeout);
  flush();
  read();
}

void Http2Session::read() {
  socket_->async_read_some(asio::buffer(input_), [self = self()](const boost::system::error_code& error, std::size_t n) {
    if (self->closed_) return;
    if (error) return self->close();
    self->set_deadline(self->exchanges_.empty() ? std::chrono::seconds(kIdleTimeout) : std::chrono::hours(24));
    self->in_library_ = true;
    const ssize_t used = nghttp2_session_mem_recv(self->http2_, self->input_.data(), n);
    self->in_library_ = false;
    if (used < 0) return self->close();
    self->flush();
    if (!self->closed_) self->read();
  });
}

void Http2Session::flush() {
  // nghttp2 must not be entered from its own callbacks; the caller flushes afterwards.
  if (in_library_ || closed_) return;
  while (unsent() < kUnsentMax) {
    const std::uint8_t* data = nullptr;
    in_library_ = true;
    const ssize_t n = nghttp2_session_mem_send(http2_, &data);
    in_library_ = false;
    if (n <= 0) break;
    send(std::string_view(reinterpret_cast<const char*>(data), static_cast<std::size_t>(n)));
  }
  const bool finished = nghttp2_session_want_read(http2_) == 0 && nghttp2_session_want_write(http2_) == 0;
  if (unsent() == 0 && (finished || (draining_ && exchanges_.empty()))) close();
}

void Http2Session::hand_on(std::int32_t id) {
  const auto found = arriving_.find(id);
  if (found == arriving_.end()) return;
  HttpRequest request = std::move(found->second.request);
  arriving_.erase(found);
  request.peer = peer_;
  const auto exchange = std::make_shared<Http2Exchange>(std::move(request), self(), thread_, id);
  exchanges_[id] = exchange;
  set_deadline(std::chrono::hours(24));
  // Not from within the library: the handler may answer at once.
  asio::post(thread_.io, [this, keep = self(), exchange] {
    if (!exchange->closed()) thread_.handler(exchange);
  });
}

void Http2Session::stream_closed(std::int32_t id) {
  arriving_.erase(id);
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end()) return;
  const auto exchange = std::move(found->second);
  exchanges_.erase(found);
  // The library may still hold a pointer to the exchange while it calls us.
  asio::post(thread_.io, [exchange] { exchange->end(); });
  if (exchanges_.empty()) set_deadline(kIdleTimeout);
}

void Http2Session::on_closed() {
  arriving_.clear();
  auto all = std::move(exchanges_);
  exchanges_.clear();
  for (const auto& [id, exchange] : all) {
    asio::post(thread_.io, [exchange] { exchange->end(); });
  }
}

void Http2Session::drain() {
  if (std::exchange(draining_, true)) return;
  const auto keep = self();
  for (const auto& [id, exchange] : std::map(exchanges_)) exchange->finish();
  // What is queued still goes out; `flush` closes once everything has.
  nghttp2_submit_goaway(http2_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(http2_), NGHTTP2_NO_ERROR, nullptr, 0);
  flush();
  if (exchanges_.empty()) close();
}

int Http2Session::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  auto* const self = static_cast<Http2Session*>(user);
  if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) self->arriving_[frame->hd.stream_id];
  return 0;
}

int Http2Session::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                            const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
  auto* const self = static_cast<Http2Session*>(user);
  const auto found = self->arriving_.find(frame->hd.stream_id);
  if (found == self->arriving_.end()) return 0;
  HttpRequest& request = found->second.request;
  const std::string_view key(reinterpret_cast<const char*>(name), name_size);
  std::string text(reinterpret_cast<const char*>(value), value_size);
  if (key == ":method") {
    request.method = std::move(text);
  } else if (key == ":path") {
    request.target = std::move(text);
  } else if (!key.starts_with(':')) {
    request.headers.emplace_back(key, std::move(text));
  }
  return 0;
}

int Http2Session::on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* user) {
  auto* const self = static_cast<Http2Session*>(user);
  const auto found = self->arriving_.find(id);
  if (found == self->arriving_.end()) return 0;
  HttpRequest& request = found->second.request;
  if (request.too_large) return 0;
  request.body.append(reinterpret_cast<const char*>(data), size);
  if (request.body.size() > kBodyBytesMax) {
    request.body.clear();
    request.too_large = true;
  }
  return 0;
}

int Http2Session::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  auto* const self = static_cast<Http2Session*>(user);
  const bool carries = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (carries && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) self->hand_on(frame->hd.stream_id);
  return 0;
}

int Http2Session::on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
  static_cast<Http2Session*>(user)->stream_closed(id);
  return 0;
}

}  // namespace

std::shared_ptr<Session> make_http2_session(IoThread& thread, std::unique_ptr<TlsSocket> socket,
                                            std::shared_ptr<const Peer> peer) {
  return std::make_shared<Http2Session>(thread, std::move(socket), std::move(peer));
}

}  // namespace dray::apiserver
