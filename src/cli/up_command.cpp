#include "cli/up_command.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <optional>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apiserver/certificates.h"
#include "apiserver/server.h"
#include "cli/apply.h"
#include "cli/control_plane.h"
#include "cli/manifests.h"
#include "cli/pod_logs.h"
#include "node/simulated_nodes.h"
#include "store/open.h"

namespace dray::cli {
namespace {

namespace fs = std::filesystem;

struct UpOptions {
  std::vector<std::string> manifests;
  std::string fleet;  // a file, "none", or empty for the sample
  std::string data_dir;
  bool ephemeral = false;
  std::string listen = "127.0.0.1:6443";
  std::string kubeconfig;
  std::string feature_gates;
  std::vector<std::string> runtime_config, without;
};

fs::path state_folder() {
  if (const char* const state = std::getenv("XDG_STATE_HOME"); state && *state) return fs::path(state) / "dray";
  const char* const home = std::getenv("HOME");
  return fs::path(home && *home ? home : ".") / ".local/state/dray";
}

/// What the command line says, checked.
struct Plan {
  api::FeatureGates gates;
  Parts parts;
  std::string address;
  int port = 0;
  std::map<std::string, bool, std::less<>> runtime_config;
};

Result<> read_listen(const std::string& text, Plan& plan) {
  const auto colon = text.rfind(':');
  char* end = nullptr;
  const long port = colon == std::string::npos ? -1 : std::strtol(text.c_str() + colon + 1, &end, 10);
  if (port < 0 || port > 65535 || *end || end == text.c_str() + colon + 1) {
    return fail(Code::kInvalid, fmt::format("--listen: \"{}\": must be ADDRESS:PORT, such as 127.0.0.1:6443", text));
  }
  plan.address = text.substr(0, colon);
  plan.port = static_cast<int>(port);
  return {};
}

Result<> read_runtime_config(const std::vector<std::string>& entries, Plan& plan) {
  for (const std::string& entry : entries) {
    const auto equals = entry.find('=');
    const std::string value = equals == std::string::npos ? "true" : entry.substr(equals + 1);
    if (value != "true" && value != "false") {
      return fail(Code::kInvalid, fmt::format("--runtime-config: \"{}\": must be GROUP/VERSION=true or =false", entry));
    }
    plan.runtime_config[entry.substr(0, equals)] = value == "true";
  }
  return {};
}

Result<> read_without(const std::vector<std::string>& names, Plan& plan) {
  for (const std::string& name : names) {
    if (name == "scheduler") plan.parts.scheduler = false;
    else if (name == "controllers") plan.parts.controllers = false;
    else if (name == "nodes") plan.parts.fleet = {};
    else return fail(Code::kInvalid, fmt::format("--without: \"{}\": must be scheduler, controllers or nodes", name));
  }
  return {};
}

Result<drivers::Fleet> read_fleet(const std::string& fleet) {
  if (fleet == "none") return drivers::Fleet{};
  if (fleet.empty()) return drivers::parse_fleet(drivers::sample_fleet());
  std::ifstream in(fleet, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return fail(Code::kNotFound, fmt::format("--fleet: {} cannot be read", fleet));
  auto parsed = drivers::parse_fleet(text.str());
  if (parsed) return parsed;
  for (Cause& cause : parsed.error().causes) cause.field = place(fleet, cause.at) + cause.field;
  if (parsed.error().causes.empty()) parsed.error().message = fmt::format("{}: {}", fleet, parsed.error().message);
  return parsed;
}

Result<Plan> make_plan(const UpOptions& options) {
  Plan plan;
  TRY_ASSIGN(plan.gates, api::FeatureGates::parse(options.feature_gates));
  TRY_ASSIGN(plan.parts.fleet, read_fleet(options.fleet));
  TRY(read_listen(options.listen, plan));
  TRY(read_runtime_config(options.runtime_config, plan));
  TRY(read_without(options.without, plan));
  return plan;
}

/// Runs `work` on the executor and waits for it.
template <class Work>
auto on(Executor& executor, Work work) {
  std::promise<decltype(work())> promise;
  executor.post([&] {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      promise.set_value();
    } else {
      promise.set_value(work());
    }
  });
  return promise.get_future().get();
}

void say(std::string_view part, std::string_view what) {
  fmt::print("{:<12}{}\n", part, what);
  std::fflush(stdout);
}

/// Gates that differ from their defaults, as `--feature-gates` takes them.
std::string changed_gates(const api::FeatureGates& gates) {
  std::vector<std::string> changed;
  for (const api::Gate& gate : api::known_gates()) {
    if (gates.enabled(gate.name) != gate.enabled_by_default) {
      changed.push_back(fmt::format("{}={}", gate.name, gates.enabled(gate.name)));
    }
  }
  return fmt::format("{}", fmt::join(changed, ","));
}

void say_what_to_try(const std::string& kubeconfig) {
  fmt::print("ready: export KUBECONFIG={}\n", kubeconfig);
  fmt::print("  kubectl get nodes\n"
             "  kubectl apply -f examples/quickstart/\n"
             "  kubectl get pods,resourceclaims -o wide\n");
  std::fflush(stdout);
}

/// The running parts, in the order in which they start; `stop` goes the other way.
class Up {
 public:
  Up(UpOptions options, Plan plan) : options_(std::move(options)), plan_(std::move(plan)) {}
  ~Up() { stop(); }

  Result<> start() {
    const fs::path folder = options_.data_dir.empty() ? state_folder() : fs::path(options_.data_dir);
    const fs::path kubeconfig = options_.kubeconfig.empty() ? folder / "kubeconfig" : fs::path(options_.kubeconfig);
    TRY_ASSIGN(const auto manifests, load_manifests(registry_, options_.manifests));
    TRY(open_store(folder));
    TRY_ASSIGN(const auto certificates, this->certificates(folder));
    TRY(on(executor_, [&] { return start_parts(manifests); }));
    TRY(serve(certificates));
    TRY(write_kubeconfig(kubeconfig, certificates));
    say_what_to_try(kubeconfig.string());
    return {};
  }

  void stop() {
    if (server_) server_->stop();
    if (plane_) on(executor_, [&] { stop_parts(); });
    executor_.stop();
    store_.reset();
  }

 private:
  Result<> open_store(const fs::path& folder) {
    if (options_.ephemeral) {
      store_ = store::open_ephemeral(executor_);
      say("store", "in memory; everything is gone when this ends");
      return {};
    }
    TRY_ASSIGN(store_, store::open_durable(executor_, registry_, folder.string()));
    say("store", folder.string());
    return {};
  }

  Result<apiserver::Certificates> certificates(const fs::path& folder) {
    std::vector<std::string> hosts;
    if (plan_.address != "0.0.0.0" && plan_.address != "::") hosts.push_back(plan_.address);
    if (options_.ephemeral) return apiserver::make_certificates(clock_, hosts);
    return apiserver::load_or_make_certificates(folder / "pki", clock_, hosts);
  }

  /// On the executor.
  Result<> start_parts(const std::vector<Manifest>& manifests) {
    TRY(rehearse(manifests, *store_, registry_, plan_.gates, executor_));
    plane_ = std::make_unique<ControlPlane>(executor_, *store_, registry_, plan_.gates, Rng::from_system(), plan_.parts);
    logs_ = std::make_unique<PodLogs>(plane_->cluster(), plane_->nodes());
    plane_->start();
    if (const std::string gates = changed_gates(plan_.gates); !gates.empty()) say("gates", gates);
    if (plan_.parts.controllers) say("controllers", "running");
    if (plan_.parts.scheduler) say("scheduler", "running");
    if (const auto* const nodes = plane_->nodes()) {
      say("nodes", fmt::format("{} simulated, with {} devices", nodes->node_count(), nodes->device_count()));
    }
    if (!manifests.empty()) {
      TRY(apply_manifests(manifests, plane_->resources()));
      say("manifests", fmt::format("{} objects applied", manifests.size()));
    }
    return {};
  }

  void stop_parts() {
    logs_.reset();
    plane_.reset();
  }

  Result<> serve(const apiserver::Certificates& certificates) {
    apiserver::Server::Options options;
    options.address = plan_.address;
    options.port = plan_.port;
    options.certificates = certificates;
    options.runtime_config = plan_.runtime_config;
    server_ = std::make_unique<apiserver::Server>(std::move(options), plane_->resources(), executor_, logs_.get());
    TRY(server_->start());
    say("api server", server_->url());
    return {};
  }

  Result<> write_kubeconfig(const fs::path& file, const apiserver::Certificates& certificates) {
    std::error_code ignored;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);
    TRY(apiserver::write_private_file(file, apiserver::kubeconfig(certificates, server_->url())));
    say("kubeconfig", file.string());
    return {};
  }

  UpOptions options_;
  Plan plan_;
  RealClock clock_;
  const api::Registry registry_ = api::Registry::built_in();
  ThreadExecutor executor_{clock_};
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ControlPlane> plane_;
  std::unique_ptr<PodLogs> logs_;
  std::unique_ptr<apiserver::Server> server_;
};

int run_up(const UpOptions& options) {
  // Every thread inherits the blocked signals; this one waits for them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  auto plan = make_plan(options);
  if (!plan) {
    fmt::print(stderr, "dray up: {}\n", render(plan.error()));
    return 1;
  }
  Up up(options, *std::move(plan));
  if (const auto started = up.start(); !started) {
    fmt::print(stderr, "dray up: {}\n", render(started.error()));
    return 1;
  }
  int signal = 0;
  sigwait(&signals, &signal);
  fmt::print("stopping\n");
  up.stop();
  return 0;
}

}  // namespace

void add_up_command(CLI::App& app, int& exit_status) {
  auto* const up = app.add_subcommand("up", "start a control plane: API server, scheduler, controllers, simulated nodes");
  const auto options = std::make_shared<UpOptions>();
  up->add_option("-f,--filename", options->manifests, "manifests to apply at the start: files or folders")->type_name("FILE|DIR");
  up->add_option("--fleet", options->fleet, "simulated nodes: a fleet file, or none (default: a sample fleet)")->type_name("FILE");
  auto* const data = up->add_option("--data-dir", options->data_dir, "where the state is kept")->type_name("DIR")
                         ->default_str(state_folder().string());
  up->add_flag("--ephemeral", options->ephemeral, "keep the state in memory only")->excludes(data);
  up->add_option("--listen", options->listen, "where to serve; port 0 takes a free one")->type_name("ADDR:PORT")->capture_default_str();
  up->add_option("--kubeconfig", options->kubeconfig, "the kubeconfig to write (default: in the data directory)")->type_name("FILE");
  up->add_option("--feature-gates", options->feature_gates, "GATE=true,… ; AllAlpha and AllBeta, too")->type_name("GATES");
  up->add_option("--runtime-config", options->runtime_config, "versions to serve: GROUP/VERSION=true,…")->delimiter(',')->type_name("VERSIONS");
  up->add_option("--without", options->without, "parts to leave out: scheduler, controllers, nodes")->delimiter(',')->type_name("PARTS");
  up->callback([options, &exit_status] { exit_status = run_up(*options); });
}

}  // namespace dray::cli
