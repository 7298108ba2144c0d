#include "client/event_recorder.h"

#include <algorithm>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "api/core_v1.h"
#include "api/kind.h"

namespace dray::client {
namespace {

using namespace std::chrono_literals;

constexpr double kBurst = 25;
constexpr std::chrono::nanoseconds kRefill = 5min;
constexpr std::size_t kSimilarMax = 10;
constexpr std::chrono::nanoseconds kSimilarWithin = 10min;
/// A series is stored again at most this often, and ends after so long without a repeat.
constexpr std::chrono::nanoseconds kSeriesRefresh = 30min;
constexpr std::chrono::nanoseconds kSeriesEnd = 6min;

core::ObjectReference reference_to(const Object& about) {
  core::ObjectReference out;
  out.kind = about.kind();
  out.api_version = about.api_version();
  out.namespace_ = about.namespace_();
  out.name = about.name();
  out.uid = about.metadata.uid;
  out.resource_version = about.metadata.resource_version;
  return out;
}

std::string event_name(const std::string& object, WallTime at) {
  return fmt::format("{}.{:x}", object, at.time_since_epoch().count());
}

std::string key_of(const core::Event& event) {
  const core::ObjectReference& about = event.involved_object;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", event.source.component + event.reporting_component, about.kind,
                     about.namespace_, about.name, about.uid, about.api_version, event.type);
}

core::Event make_event(const Object& about, const EventNote& note, WallTime now) {
  core::Event event;
  event.metadata.namespace_ = about.namespace_().empty() ? "default" : about.namespace_();
  event.metadata.name = event_name(about.name(), now);
  event.involved_object = reference_to(about);
  event.type = note.type;
  event.reason = note.reason;
  event.message = note.message;
  event.reporting_component = note.component;
  return event;
}

}  // namespace

EventRecorder::EventRecorder(Executor& executor, store::Resources& resources)
    : executor_(executor), resources_(resources) {}
EventRecorder::~EventRecorder() = default;

void EventRecorder::record(const Object& about, const EventNote& note) {
  const Now now = executor_.clock().now();
  core::Event event = make_event(about, note, now.wall);
  if (!note.action.empty()) {
    event.action = note.action;
    event.event_time = MicroTime::of(now.wall);
    event.reporting_instance = note.component + "-dray";
    // As in Kubernetes, an object that changed in between has events of its own.
    const std::string key = fmt::format("{}|{}|{}|{}", key_of(event), event.involved_object.resource_version,
                                        note.action, note.reason);
    record_series(key, std::move(event), now);
    return;
  }
  event.source.component = note.component;
  event.first_timestamp = event.last_timestamp = Time::of(now.wall);
  event.count = 1;
  const std::string object_key = key_of(event);
  if (spends(budgets_[object_key], now.mono)) record_counted(object_key, std::move(event), now);
}

bool EventRecorder::spends(Budget& budget, MonoTime now) const {
  if (budget.tokens < 0) {
    budget = {kBurst, now};
  } else {
    const double earned = std::chrono::duration<double>(now - budget.at) / std::chrono::duration<double>(kRefill);
    budget = {std::min(kBurst, budget.tokens + earned), now};
  }
  if (budget.tokens < 1) return false;
  budget.tokens -= 1;
  return true;
}

/// Equal in all but text: the first is written, the second makes it a series, later ones are counted.
void EventRecorder::record_series(const std::string& key, core::Event event, Now now) {
  Written& known = series_[key];
  if (known.count == 0 || known.last + kSeriesEnd < now.wall) {
    known = {write_new(std::move(event)), 1, now.wall, now.wall, now.wall};
    return;
  }
  ++known.count;
  known.last = now.wall;
  if (known.count > 2 && known.stored + kSeriesRefresh > now.wall) return;
  known.stored = now.wall;
  core::EventSeries& series = event.series.emplace();
  series.count = known.count;
  series.last_observed_time = MicroTime::of(now.wall);
  write_again(event, known);
}

void EventRecorder::record_counted(const std::string& object_key, core::Event event, Now now) {
  const std::string group = object_key + "|" + event.reason;
  Similar& similar = similar_[group];
  if (similar.last + kSimilarWithin < now.wall) similar.texts.clear();
  similar.texts[event.message] = true;
  similar.last = now.wall;
  std::string key = group + "|" + event.message;
  if (similar.texts.size() >= kSimilarMax) {
    similar.texts.erase(similar.texts.begin());
    event.message = "(combined from similar events): " + event.message;
    key = group;
  }
  Written& known = counted_[key];
  if (known.count == 0) {
    known = {write_new(std::move(event)), 1, now.wall, now.wall, now.wall};
    return;
  }
  ++known.count;
  known.last = now.wall;
  event.count = known.count;
  event.first_timestamp = Time::of(known.first);
  write_again(event, known);
}

std::string EventRecorder::write_new(core::Event event) {
  std::string name = event.name();
  const api::Kind& kind = resources_.registry().of<core::Event>();
  auto written = resources_.create(kind, std::make_shared<core::Event>(event));
  if (!written && written.error().code == Code::kAlreadyExists) {
    // Two in the same instant, as happens in virtual time.
    event.metadata.name += fmt::format("{:x}", resources_.store().revision());
    name = event.name();
    written = resources_.create(kind, std::make_shared<core::Event>(std::move(event)));
  }
  if (!written) spdlog::debug("event {} was refused: {}", name, written.error().message);
  return name;
}

/// The newest state of an event that is there already; if it was deleted meanwhile, it is made again.
void EventRecorder::write_again(const core::Event& event, const Written& known) {
  const api::Kind& kind = resources_.registry().of<core::Event>();
  const auto written = resources_.modify(kind, event.namespace_(), known.name, [&](Object& object) -> Result<> {
    auto& fresh = static_cast<core::Event&>(object);
    fresh.series = event.series;
    fresh.count = event.count;
    fresh.last_timestamp = event.last_timestamp;
    if (!event.series) fresh.message = event.message;
    return {};
  });
  if (written || written.error().code != Code::kNotFound) return;
  auto again = std::make_shared<core::Event>(event);
  again->metadata.name = known.name;
  if (const auto made = resources_.create(kind, std::move(again)); !made) {
    spdlog::debug("event {} was refused: {}", known.name, made.error().message);
  }
}

}  // namespace dray::client
