/// pods/x/log.
#include "api/core_v1.h"
#include "apiserver/status.h"
#include "apiserver/subresource_handlers.h"
#include "machinery/validate.h"
#include "store/errors.h"

namespace dray::apiserver {
namespace {

std::string joined(const std::vector<core::Container>& containers) {
  std::string text;
  for (const core::Container& one : containers) text += (text.empty() ? "" : " ") + one.name;
  return text;
}

bool has_container(const core::Pod& pod, const std::string& name) {
  const auto named = [&](const auto& one) { return one.name == name; };
  return std::ranges::any_of(pod.spec.containers, named) || std::ranges::any_of(pod.spec.init_containers, named) ||
         std::ranges::any_of(pod.spec.ephemeral_containers, [&](const auto& one) { return one.ephemeral_container_common.name == name; });
}

/// The container that is meant when none is named.
Result<std::string> chosen_container(const core::Pod& pod, const std::string& asked) {
  const std::string_view pod_name = pod.name();
  if (!asked.empty()) {
    if (has_container(pod, asked)) return asked;
    return fail(Code::kBadRequest, "container " + asked + " is not valid for pod " + std::string(pod_name));
  }
  const auto noted = pod.metadata.annotations.find("kubectl.kubernetes.io/default-container");
  if (noted != pod.metadata.annotations.end() && has_container(pod, noted->second)) return noted->second;
  if (pod.spec.containers.size() == 1) return pod.spec.containers.front().name;
  std::string message = "a container name must be specified for pod " + std::string(pod_name) + ", choose one of: [" + joined(pod.spec.containers) + "]";
  if (!pod.spec.init_containers.empty()) message += " or one of the init containers: [" + joined(pod.spec.init_containers) + "]";
  return fail(Code::kBadRequest, std::move(message));
}

Result<LogRequest> parse_log_request(const Call& call) {
  LogRequest log;
  const Query& query = call.query;
  log.namespace_ = call.info.namespace_;
  log.pod = call.info.name;
  log.follow = query.boolean("follow");
  log.previous = query.boolean("previous");
  log.timestamps = query.boolean("timestamps");
  const auto number = [&](std::string_view name, std::optional<std::int64_t>& out) -> Result<> {
    if (query.get(name).empty()) return {};
    TRY_ASSIGN(out, parse_int64(query.get(name)));
    return {};
  };
  TRY(number("sinceSeconds", log.since_seconds));
  TRY(number("tailLines", log.tail_lines));
  TRY(number("limitBytes", log.limit_bytes));
  if (!query.get("sinceTime").empty()) {
    TRY_ASSIGN(log.since_time, Time::parse(query.get("sinceTime")));
  }
  Causes causes;
  if (log.tail_lines && *log.tail_lines < 0) causes.invalid(FieldPath("tailLines"), *log.tail_lines, "must be greater than or equal to 0");
  if (log.limit_bytes && *log.limit_bytes < 1) causes.invalid(FieldPath("limitBytes"), *log.limit_bytes, "must be greater than 0");
  if (log.since_seconds && log.since_time) causes.forbidden(FieldPath(), "at most one of `sinceTime` or `sinceSeconds` may be specified");
  if (log.since_seconds && *log.since_seconds < 1) causes.invalid(FieldPath("sinceSeconds"), *log.since_seconds, "must be greater than 0");
  if (!causes.empty()) return fail(invalid_error("", "PodLogOptions", call.info.name, std::move(causes)));
  return log;
}

/// One client's reading: the sink runs on the executor, the exchange lives on its I/O thread.
struct LogStream : std::enable_shared_from_this<LogStream> {
  CorePtr core;
  CallPtr call;
  std::unique_ptr<LogSource::Reading> reading;  // executor
  bool started = false;                         // executor

  /// The head goes out with the first text, so that a source that refuses can still be answered for.
  void ensure_started() {
    if (std::exchange(started, true)) return;
    call->exchange->post([stream = shared_from_this()] {
      stream->call->exchange->on_closed = [stream] { stream->core->executor.post([stream] { stream->reading.reset(); }); };
      stream->call->exchange->start_stream({.status = 200, .content_type = "text/plain", .headers = {}, .body = nullptr});
    });
  }
  void write(std::string_view text) {
    ensure_started();
    call->exchange->post([exchange = call->exchange, piece = shared(std::string(text))] { exchange->write(piece); });
  }
  void end() {
    ensure_started();
    call->exchange->post([exchange = call->exchange] { exchange->finish(); });
  }
  void open(const LogRequest& request) {
    const std::weak_ptr<LogStream> weak = weak_from_this();
    auto opened = core->logs->open(request, {[weak](std::string_view text) {
                                               if (const auto stream = weak.lock()) stream->write(text);
                                             },
                                             [weak] {
                                               if (const auto stream = weak.lock()) stream->end();
                                             }});
    if (!opened) return reply_error(call, opened.error());
    reading = std::move(*opened);
    ensure_started();
  }
};

}  // namespace

void handle_log(const CorePtr& core, const CallPtr& call) {
  auto request = parse_log_request(*call);
  if (!request) return respond(call, error_response(request.error()));
  core->executor.post([core, call, request = std::move(*request)]() mutable {
    const auto pod = as<core::Pod>(core->resources.store().get(call->kind(), call->space(), call->info.name));
    if (!pod) return reply_error(call, store::not_found(call->kind(), call->info.name));
    auto container = chosen_container(*pod, call->query.get("container"));
    if (!container) return reply_error(call, container.error());
    if (pod->spec.node_name.empty()) {
      // An unscheduled pod has no log yet: an empty answer, as there.
      return reply(call, [] { return text_response(200, ""); });
    }
    if (!core->logs) return reply_error(call, {Code::kUnavailable, "no node of this server keeps logs", {}, "", "", "", "", 0});
    request.container = *container;
    const auto stream = std::make_shared<LogStream>();
    stream->core = core;
    stream->call = call;
    stream->open(request);
  });
}

}  // namespace dray::apiserver
