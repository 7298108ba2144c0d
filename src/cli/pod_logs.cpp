#include "cli/pod_logs.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "node/simulated_nodes.h"

namespace dray::cli {
namespace {

/// The last `count` lines of a text that ends with a line break.
std::string_view tail(std::string_view text, std::int64_t count) {
  std::size_t from = text.size();
  for (; count > 0 && from > 0; --count) {
    const auto before = from >= 2 ? text.rfind('\n', from - 2) : std::string_view::npos;
    from = before == std::string_view::npos ? 0 : before + 1;
  }
  return text.substr(from);
}

/// When the container began: simulated containers write everything at that moment.
std::optional<Time> began(const core::Pod& pod, std::string_view container) {
  for (const auto* statuses : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
    const auto found = std::ranges::find(*statuses, container, &core::ContainerStatus::name);
    if (found == statuses->end()) continue;
    if (found->state.running) return found->state.running->started_at;
    if (found->state.terminated) return found->state.terminated->started_at;
  }
  return std::nullopt;
}

bool runs(const core::Pod& pod, std::string_view container) {
  const auto& statuses = pod.status.container_statuses;
  return std::ranges::any_of(statuses, [&](const auto& s) { return s.name == container && s.state.running; });
}

std::string cut(std::string text, const apiserver::LogRequest& request, Time written, Time now) {
  if (request.since_time && written < *request.since_time) return "";
  if (request.since_seconds && now.seconds - written.seconds > *request.since_seconds) return "";
  if (request.timestamps) {
    std::istringstream lines(text);
    std::string stamped, line;
    while (std::getline(lines, line)) stamped += fmt::format("{} {}\n", written.str(), line);
    text = std::move(stamped);
  }
  if (request.tail_lines) text = tail(text, *request.tail_lines);
  if (request.limit_bytes && text.size() > static_cast<std::size_t>(*request.limit_bytes)) text.resize(*request.limit_bytes);
  return text;
}

}  // namespace

/// The open `logs -f`, by pod; ended when the pod stops running or is gone.
struct PodLogs::Followers {
  struct Follower {
    std::string container;
    std::function<void()> end;
  };
  std::multimap<std::string, std::shared_ptr<Follower>> open;

  void end_of(const std::string& pod, const core::Pod* state) {
    for (auto [it, last] = open.equal_range(pod); it != last;) {
      const auto follower = it->second;
      if (state && runs(*state, follower->container)) {
        ++it;
        continue;
      }
      it = open.erase(it);
      follower->end();
    }
  }
};

PodLogs::PodLogs(client::Cluster& cluster, const node::SimulatedNodes* nodes)
    : cluster_(cluster), nodes_(nodes), followers_(std::make_shared<Followers>()) {
  const auto key = [](const Object& pod) { return pod.namespace_() + "/" + pod.name(); };
  cluster_.informer<core::Pod>().add_handler(
      {{},
       [open = followers_, key](const ObjectPtr&, const ObjectPtr& pod) { open->end_of(key(*pod), as<core::Pod>(*pod)); },
       [open = followers_, key](const ObjectPtr& pod) { open->end_of(key(*pod), nullptr); }});
}

PodLogs::~PodLogs() = default;

Result<std::unique_ptr<apiserver::LogSource::Reading>> PodLogs::open(const apiserver::LogRequest& request, Sink sink) {
  const auto pod = cluster_.get<core::Pod>(request.namespace_, request.pod);
  if (!pod) return fail(Code::kNotFound, fmt::format("pods \"{}\" not found", request.pod));
  if (!nodes_) return fail(Code::kBadRequest, "no simulated node runs here, and only they keep logs");
  if (request.previous) {
    return fail(Code::kBadRequest, fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                                               request.container, request.pod));
  }
  TRY_ASSIGN(std::string text, nodes_->log(request.namespace_, request.pod, request.container));
  const Time now = Time::of(cluster_.executor().clock().wall());
  sink.write(cut(std::move(text), request, began(*pod, request.container).value_or(now), now));
  if (!request.follow || !runs(*pod, request.container)) {
    sink.end();
    return std::unique_ptr<Reading>();
  }
  struct Open final : Reading {
    std::shared_ptr<Followers> followers;
    std::shared_ptr<Followers::Follower> follower;
    ~Open() override {
      std::erase_if(followers->open, [&](const auto& entry) { return entry.second == follower; });
    }
  };
  auto reading = std::make_unique<Open>();
  reading->followers = followers_;
  reading->follower = std::make_shared<Followers::Follower>(Followers::Follower{request.container, sink.end});
  followers_->open.emplace(request.namespace_ + "/" + request.pod, reading->follower);
  return reading;
}

}  // namespace dray::cli
