#include "controllers/event_ttl.h"

#include <deque>
#include <unordered_map>
#include <utility>

#include "api/core_v1.h"
#include "controllers/work_queue.h"

namespace dray::controllers {
namespace {

/// One timer, for the oldest: each write puts the event at the end of the line.
class EventTtl final : public Controller {
 public:
  EventTtl(Context context, Duration ttl) : cluster_(context.cluster), ttl_(ttl) {}
  ~EventTtl() override { cluster_.executor().cancel(timer_); }

  void start() override {
    watch<core::Event>(cluster_, alive_, [this](const core::Event*, const core::Event* now) {
      if (!now) return;
      line_.push_back({cluster_.executor().clock().mono() + ttl_, key_of(*now), now->metadata.resource_version});
      arm();
    });
  }

 private:
  struct Entry {
    MonoTime due;
    ObjectKey key;
    std::string version;
  };

  void arm() {
    if (timer_ != 0 || line_.empty()) return;
    const Duration wait = line_.front().due - cluster_.executor().clock().mono();
    timer_ = cluster_.executor().after(wait, [this, token = alive_.token()] {
      if (!*token) return;
      timer_ = 0;
      expire();
      arm();
    });
  }

  void expire() {
    const MonoTime now = cluster_.executor().clock().mono();
    while (!line_.empty() && line_.front().due <= now) {
      const Entry entry = std::move(line_.front());
      line_.pop_front();
      const auto event = cluster_.get<core::Event>(entry.key.namespace_, entry.key.name);
      if (event && event->metadata.resource_version == entry.version) {
        cluster_.remove(core::Event::kDescriptor, entry.key.namespace_, entry.key.name);
      }
    }
  }

  client::Cluster& cluster_;
  const Duration ttl_;
  std::deque<Entry> line_;
  TimerId timer_ = 0;
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_event_ttl_controller(Context context, Duration ttl) {
  return std::make_unique<EventTtl>(context, ttl);
}

}  // namespace dray::controllers
