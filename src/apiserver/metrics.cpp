#include "apiserver/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <mutex>

namespace dray::apiserver {
namespace {

const prometheus::Histogram::BucketBoundaries kSeconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                          0.25,   0.5,   1,      2.5,   5,    10,    30,   60};

}  // namespace

struct Metrics::Impl {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& total = prometheus::BuildCounter()
      .Name("apiserver_request_total").Help("Requests by verb, resource and response code.").Register(registry);
  prometheus::Family<prometheus::Histogram>& duration = prometheus::BuildHistogram()
      .Name("apiserver_request_duration_seconds").Help("Time from a request's last byte to its answer's first.").Register(registry);
  prometheus::Family<prometheus::Gauge>& current = prometheus::BuildGauge()
      .Name("apiserver_current_inflight_requests").Help("Requests in progress.").Register(registry);
  prometheus::Family<prometheus::Gauge>& long_running = prometheus::BuildGauge()
      .Name("apiserver_longrunning_requests").Help("Watches that are open.").Register(registry);
  prometheus::Family<prometheus::Gauge>& open = prometheus::BuildGauge()
      .Name("dray_apiserver_connections").Help("TLS connections that are open.").Register(registry);

  /// Series of one (verb, resource, code), so that a request hashes one string and not a map of labels.
  struct Series {
    prometheus::Counter* total;
    prometheus::Histogram* duration;
  };
  std::mutex mutex;
  std::map<std::string, Series, std::less<>> series;  // guarded by mutex
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

void Metrics::request(std::string_view verb, std::string_view group, std::string_view version, std::string_view resource,
                      std::string_view subresource, int code, Duration took) {
  std::string key;
  for (const std::string_view part : {verb, group, version, resource, subresource}) key.append(part).push_back('\0');
  key += std::to_string(code);
  Impl::Series series{};
  {
    const std::scoped_lock lock(impl_->mutex);
    auto found = impl_->series.find(key);
    if (found == impl_->series.end()) {
      prometheus::Labels labels{{"verb", std::string(verb)}, {"group", std::string(group)}, {"version", std::string(version)},
                                {"resource", std::string(resource)}, {"subresource", std::string(subresource)}};
      auto* const histogram = &impl_->duration.Add(labels, kSeconds);
      labels["code"] = std::to_string(code);
      found = impl_->series.emplace(std::move(key), Impl::Series{&impl_->total.Add(labels), histogram}).first;
    }
    series = found->second;
  }
  series.total->Increment();
  series.duration->Observe(std::chrono::duration<double>(took).count());
}

void Metrics::in_flight(std::string_view kind, int delta) {
  impl_->current.Add({{"request_kind", std::string(kind)}}).Increment(delta);
}

void Metrics::watches(std::string_view group, std::string_view version, std::string_view kind, int delta) {
  impl_->long_running.Add({{"verb", "WATCH"}, {"group", std::string(group)}, {"version", std::string(version)}, {"resource", std::string(kind)}})
      .Increment(delta);
}

void Metrics::connections(int now) { impl_->open.Add({}).Set(now); }

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(impl_->registry.Collect()); }

}  // namespace dray::apiserver
