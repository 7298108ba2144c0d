#include "apiserver/watch_handler.h"

#include "apiserver/list_options.h"
#include "apiserver/status.h"
#include "apiserver/watch_frame.h"
#include "base/random.h"

namespace dray::apiserver {
namespace {

/// kube-apiserver's --min-request-timeout is 30 minutes; it draws up to twice that.
constexpr auto kDefaultTimeout = std::chrono::minutes(45);
constexpr auto kBookmarkEvery = std::chrono::minutes(1);
/// Before the time-out, so that the client can go on from there.
constexpr auto kLastBookmark = std::chrono::seconds(2);
/// A client that lets this much pile up is cut off; it can resume from what it has read.
constexpr std::size_t kUnsentBytesMax = 64 * 1024 * 1024;

/// What one event is for this client, if anything.
struct Seen {
  std::string_view type;
  ObjectPtr object;
};

/// One client's watch. Lives as long as its exchange or a task of it.
///
/// Events come in on the executor, wait there until they are durable, and are filtered, encoded and
/// written on the I/O thread.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(CorePtr core, CallPtr call, ListOptions options, WatchFramer framer)
      : core_(std::move(core)), call_(std::move(call)), options_(std::move(options)), framer_(std::move(framer)) {}

  void start();  // I/O

 private:
  using Batch = std::vector<store::EventPtr>;

  void open();                               // executor
  Result<> open_from(store::Revision from);  // executor
  void on_event(const store::EventPtr& event);
  void flush();  // executor
  void stop();   // executor

  void write_initial(const store::Listing& listing, bool bookmark);  // I/O
  void write_events(const Batch& batch);                             // I/O
  void write_error(const Error& error);                              // I/O
  void write(std::string bytes);                                     // I/O
  void gather(std::string& bytes, std::string event);                // I/O
  void ask_bookmark();                                               // I/O
  void schedule_bookmark();                                          // I/O
  [[nodiscard]] bool in_namespace(const Object& object) const {
    return call_->space().empty() || object.namespace_() == call_->space();
  }
  [[nodiscard]] Seen seen(const store::Event& event) const;

  const CorePtr core_;
  const CallPtr call_;
  const ListOptions options_;
  WatchFramer framer_;  // I/O
  const bool separate_ = call_->request().wants_websocket();

  // Executor.
  std::unique_ptr<store::Watch> watch_;
  Batch pending_;
  bool flush_waits_ = false;
  bool stopped_ = false;
};

void WatchStream::start() {
  Exchange& exchange = *call_->exchange;
  const auto self = shared_from_this();
  exchange.on_closed = [self] {
    self->core_->metrics.watches(self->call_->info.group, self->call_->info.version, self->call_->info.resource, -1);
    self->core_->executor.post([self] { self->stop(); });
  };
  core_->metrics.watches(call_->info.group, call_->info.version, call_->info.resource, 1);
  HttpResponse head{.status = 200, .content_type = framer_.content_type(), .headers = {}, .body = nullptr};
  head.headers.emplace_back("Cache-Control", "no-cache, private");
  exchange.start_stream(std::move(head));

  const auto timeout = options_.timeout_seconds.value_or(0) > 0 ? Duration(std::chrono::seconds(*options_.timeout_seconds)) : Duration(kDefaultTimeout);
  const std::weak_ptr<WatchStream> weak = self;
  exchange.after(timeout, [weak] {
    if (const auto stream = weak.lock()) stream->call_->exchange->finish();
  });
  if (options_.bookmarks) {
    if (timeout > kLastBookmark) {
      exchange.after(timeout - kLastBookmark, [weak] {
        if (const auto stream = weak.lock()) stream->ask_bookmark();
      });
    }
    schedule_bookmark();
  }
  core_->executor.post([self] { self->open(); });
}

void WatchStream::schedule_bookmark() {
  const std::weak_ptr<WatchStream> weak = weak_from_this();
  call_->exchange->after(kBookmarkEvery, [weak] {
    const auto stream = weak.lock();
    if (!stream) return;
    stream->ask_bookmark();
    stream->schedule_bookmark();
  });
}

/// The bookmark goes the way of the events, so that it overtakes none: what is written now has been
/// handed out once the task posted from here runs.
void WatchStream::ask_bookmark() {
  core_->executor.post([self = shared_from_this()] {
    const store::Revision revision = self->core_->resources.store().revision();
    self->core_->executor.post([self, revision] {
      if (self->stopped_ || !self->watch_) return;
      self->core_->resources.store().when_durable(revision, [self, revision] {
        self->call_->exchange->post([self, revision] { self->write(self->framer_.bookmark(revision, false)); });
      });
    });
  });
}

void WatchStream::open() {
  if (stopped_) return;
  const bool from_start = options_.resource_version.empty() || options_.resource_version == "0";
  const bool initial = options_.send_initial_events.value_or(from_start);
  store::Store& store = core_->resources.store();
  store::Revision from = options_.revision;
  if (initial || from_start) {
    store::Listing listing;
    listing.revision = store.revision();
    if (initial) listing = store.list(call_->kind(), call_->space());
    from = listing.revision;
    if (initial) {
      store.when_durable(from, [self = shared_from_this(), listing = std::move(listing)]() mutable {
        self->call_->exchange->post([self, listing = std::move(listing)] { self->write_initial(listing, self->options_.bookmarks); });
      });
    }
  }
  if (const auto opened = open_from(from); !opened) {
    call_->exchange->post([self = shared_from_this(), error = opened.error()] { self->write_error(error); });
  }
}

Result<> WatchStream::open_from(store::Revision from) {
  const std::weak_ptr<WatchStream> weak = weak_from_this();
  TRY_ASSIGN(watch_, core_->resources.store().watch(call_->kind(), from, [weak](const store::EventPtr& event) {
    if (const auto stream = weak.lock()) stream->on_event(event);
  }));
  return {};
}

void WatchStream::on_event(const store::EventPtr& event) {
  if (stopped_ || !in_namespace(*event->object)) return;
  pending_.push_back(event);
  if (std::exchange(flush_waits_, true)) return;
  core_->resources.store().when_durable(event->revision, [self = shared_from_this()] { self->flush(); });
}

/// Sends what has become durable; the rest waits for its turn.
void WatchStream::flush() {
  flush_waits_ = false;
  if (stopped_) return;
  const store::Revision durable = core_->resources.store().durable_revision();
  const auto end = std::ranges::find_if(pending_, [&](const store::EventPtr& event) { return event->revision > durable; });
  Batch batch(pending_.begin(), end);
  pending_.erase(pending_.begin(), end);
  if (!pending_.empty()) {
    flush_waits_ = true;
    core_->resources.store().when_durable(pending_.front()->revision, [self = shared_from_this()] { self->flush(); });
  }
  if (batch.empty()) return;
  call_->exchange->post([self = shared_from_this(), batch = std::move(batch)] { self->write_events(batch); });
}

void WatchStream::stop() {
  stopped_ = true;
  watch_.reset();
  pending_.clear();
}

/// Events of one batch go out together, unless each has to be a message of its own.
void WatchStream::gather(std::string& bytes, std::string event) {
  if (separate_) return write(std::move(event));
  bytes += event;
}

void WatchStream::write_initial(const store::Listing& listing, bool bookmark) {
  std::string bytes;
  for (const ObjectPtr& object : listing.items) {
    if (options_.selection.matches(*object)) gather(bytes, framer_.event("ADDED", object));
  }
  if (bookmark) gather(bytes, framer_.bookmark(listing.revision, true));
  write(std::move(bytes));
}

/// An object that leaves the selection is deleted for this client: in its last state that matched,
/// with the revision of the change.
Seen WatchStream::seen(const store::Event& event) const {
  const bool before = event.old && options_.selection.matches(*event.old);
  if (event.type == store::EventType::kDeleted) return before ? Seen{"DELETED", event.object} : Seen{};
  const bool after = options_.selection.matches(*event.object);
  if (after) return {before ? "MODIFIED" : "ADDED", event.object};
  if (!before) return {};
  const auto last = mutable_copy(*event.old);
  last->metadata.resource_version = event.object->metadata.resource_version;
  return {"DELETED", last};
}

void WatchStream::write_events(const Batch& batch) {
  std::string bytes;
  for (const store::EventPtr& event : batch) {
    if (const Seen what = seen(*event); what.object) gather(bytes, framer_.event(what.type, what.object));
  }
  write(std::move(bytes));
}

void WatchStream::write_error(const Error& error) {
  write(framer_.error(error));
  call_->exchange->finish();
}

void WatchStream::write(std::string bytes) {
  Exchange& exchange = *call_->exchange;
  if (bytes.empty() || exchange.closed()) return;
  if (exchange.unsent() > kUnsentBytesMax) return exchange.abort();
  exchange.write(shared(std::move(bytes)));
}

}  // namespace

void handle_watch(const CorePtr& core, const CallPtr& call) {
  auto options = parse_list_options(call->query, call->resource, true);
  if (!options) return respond(call, error_response(options.error()));
  auto framer = WatchFramer::make(core, call);
  if (!framer) return respond(call, error_response(framer.error()));
  std::make_shared<WatchStream>(core, call, std::move(*options), std::move(*framer))->start();
}

}  // namespace dray::apiserver
