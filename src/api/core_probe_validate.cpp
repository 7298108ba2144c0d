/// Probes and lifecycle hooks.
#include <algorithm>

#include <utility>

#include <fmt/core.h>

#include "api/core_validate.h"

namespace dray::api {
namespace {

constexpr std::string_view kOneHandler = "may not specify more than 1 handler type";

/// A probe's handler or a lifecycle's, by what each has.
struct Handler {
  const core::ExecAction* exec = nullptr;
  const core::HTTPGetAction* http_get = nullptr;
  const core::TCPSocketAction* tcp_socket = nullptr;
  const core::GRPCAction* grpc = nullptr;
  const core::SleepAction* sleep = nullptr;
};

Handler handler_of(const core::ProbeHandler& h) {
  return {h.exec.get(), h.http_get.get(), h.tcp_socket.get(), h.grpc.get(), nullptr};
}
Handler handler_of(const core::LifecycleHandler& h) {
  return {h.exec.get(), h.http_get.get(), h.tcp_socket.get(), nullptr, h.sleep.get()};
}

void validate_http_get(const core::HTTPGetAction& get, const FieldPath& at, Causes& out) {
  if (get.path.empty()) out.required(at / "path");
  validate_port(get.port, at / "port", out);
  if (get.scheme != "HTTP" && get.scheme != "HTTPS") out.not_supported(at / "scheme", get.scheme, {"HTTP", "HTTPS"});
  for (const auto& header : get.http_headers)
    out.invalid_each(at / "httpHeaders", header.name, check_http_header_name(header.name));
  if (!get.protocol) return;
  if (*get.protocol != "HTTP1" && *get.protocol != "HTTP2") {
    out.not_supported(at / "protocol", *get.protocol, {"HTTP1", "HTTP2"});
  } else if (*get.protocol == "HTTP2" && get.scheme != "HTTP") {
    out.invalid(at / "protocol", *get.protocol, "is only supported with HTTP (H2C)");
  } else if (*get.protocol == "HTTP2" && !get.host.empty()) {
    out.invalid(at / "host", get.host, "must be empty when `protocol` is \"HTTP2\"");
  }
}

void validate_grpc(const core::GRPCAction& grpc, const FieldPath& at, Causes& out) {
  validate_port(grpc.port, at / "port", out);
  if (grpc.mode && *grpc.mode != "Plaintext" && *grpc.mode != "TLS")
    out.not_supported(at / "mode", *grpc.mode, {"Plaintext", "TLS"});
}

void validate_sleep(const core::SleepAction& sleep, const std::optional<std::int64_t>& grace,
                    const FieldPath& at, Causes& out) {
  if (grace && (sleep.seconds < 0 || sleep.seconds > *grace))
    out.invalid(at, sleep.seconds,
                fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})", *grace));
}

void validate_handler(const Handler& handler, const std::optional<std::int64_t>& grace, const FieldPath& at,
                      Causes& out) {
  bool one = false;
  /// The first handler is checked, others are refused.
  const auto first = [&](bool present, const char* name) {
    if (!present) return false;
    if (one) out.forbidden(at / name, kOneHandler);
    return !std::exchange(one, true);
  };
  if (first(handler.exec != nullptr, "exec") && handler.exec->command.empty()) out.required(at / "exec" / "command");
  if (first(handler.http_get != nullptr, "httpGet")) validate_http_get(*handler.http_get, at / "httpGet", out);
  if (first(handler.tcp_socket != nullptr, "tcpSocket"))
    validate_port(handler.tcp_socket->port, at / "tcpSocket" / "port", out);
  if (first(handler.grpc != nullptr, "grpc")) validate_grpc(*handler.grpc, at / "grpc", out);
  if (first(handler.sleep != nullptr, "sleep")) validate_sleep(*handler.sleep, grace, at / "sleep", out);
  if (!one) out.required(at, "must specify a handler type");
}

void validate_probe(const core::Probe& probe, const FieldPath& at, Causes& out) {
  validate_handler(handler_of(probe.probe_handler), std::nullopt, at, out);
  validate_nonnegative(probe.initial_delay_seconds, at / "initialDelaySeconds", out);
  validate_nonnegative(probe.timeout_seconds, at / "timeoutSeconds", out);
  validate_nonnegative(probe.period_seconds, at / "periodSeconds", out);
  validate_nonnegative(probe.success_threshold, at / "successThreshold", out);
  validate_nonnegative(probe.failure_threshold, at / "failureThreshold", out);
  if (const auto& grace = probe.termination_grace_period_seconds; grace && *grace <= 0)
    out.invalid(at / "terminationGracePeriodSeconds", *grace, "must be greater than 0");
}

/// Of liveness and startup: one success is enough.
void validate_single_success(const core::Probe& probe, const FieldPath& at, Causes& out) {
  validate_probe(probe, at, out);
  if (probe.success_threshold != 1) out.invalid(at / "successThreshold", probe.success_threshold, "must be 1");
}

constexpr std::string_view kLinuxSignals[] = {
    "SIGABRT",     "SIGALRM",     "SIGBUS",      "SIGCHLD",     "SIGCLD",      "SIGCONT",     "SIGFPE",
    "SIGHUP",      "SIGILL",      "SIGINT",      "SIGIO",       "SIGIOT",      "SIGKILL",     "SIGPIPE",
    "SIGPOLL",     "SIGPROF",     "SIGPWR",      "SIGQUIT",     "SIGRTMAX",    "SIGRTMAX-1",  "SIGRTMAX-10",
    "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13", "SIGRTMAX-14", "SIGRTMAX-2",  "SIGRTMAX-3",  "SIGRTMAX-4",
    "SIGRTMAX-5",  "SIGRTMAX-6",  "SIGRTMAX-7",  "SIGRTMAX-8",  "SIGRTMAX-9",  "SIGRTMIN",    "SIGRTMIN+1",
    "SIGRTMIN+10", "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2",
    "SIGRTMIN+3",  "SIGRTMIN+4",  "SIGRTMIN+5",  "SIGRTMIN+6",  "SIGRTMIN+7",  "SIGRTMIN+8",  "SIGRTMIN+9",
    "SIGSEGV",     "SIGSTKFLT",   "SIGSTOP",     "SIGSYS",      "SIGTERM",     "SIGTRAP",     "SIGTSTP",
    "SIGTTIN",     "SIGTTOU",     "SIGURG",      "SIGUSR1",     "SIGUSR2",     "SIGVTALRM",   "SIGWINCH",
    "SIGXCPU",     "SIGXFSZ",
};
constexpr std::string_view kWindowsSignals[] = {"SIGKILL", "SIGTERM"};

void validate_stop_signal(const std::string& signal, const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.os) return out.forbidden(at, "may not be set for containers with empty `spec.os.name`");
  const std::span<const std::string_view> known =
      spec.os->name == "windows" ? std::span<const std::string_view>(kWindowsSignals) : kLinuxSignals;
  if (spec.os->name != "windows" && spec.os->name != "linux") return;
  if (std::ranges::find(known, signal) == known.end()) out.not_supported(at, signal, known);
}

}  // namespace

void validate_probes(const core::Container& container, const core::PodSpec&, const FieldPath& at, Causes& out) {
  if (container.liveness_probe) validate_single_success(*container.liveness_probe, at / "livenessProbe", out);
  if (const auto& readiness = container.readiness_probe) {
    const FieldPath here = at / "readinessProbe";
    validate_probe(*readiness, here, out);
    if (const auto& grace = readiness->termination_grace_period_seconds)
      out.invalid(here / "terminationGracePeriodSeconds", *grace, "must not be set for readinessProbes");
  }
  if (container.startup_probe) validate_single_success(*container.startup_probe, at / "startupProbe", out);
}

void validate_lifecycle(const core::Lifecycle& lifecycle, const core::PodSpec& spec, const FieldPath& at,
                        Causes& out) {
  const auto& grace = spec.termination_grace_period_seconds;
  if (lifecycle.post_start) validate_handler(handler_of(*lifecycle.post_start), grace, at / "postStart", out);
  if (lifecycle.pre_stop) validate_handler(handler_of(*lifecycle.pre_stop), grace, at / "preStop", out);
  if (lifecycle.stop_signal) validate_stop_signal(*lifecycle.stop_signal, spec, at / "stopSignal", out);
}

}  // namespace dray::api
