/// The API server over an empty store, for trying it with real clients.
/// serve_main KUBECONFIG [PORT] [GATES] [RUNTIME_CONFIG]
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "api/core_v1.h"
#include "apiserver/server.h"
#include "store/open.h"

using namespace dray;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  RealClock clock;
  ThreadExecutor executor(clock);
  const api::Registry registry = api::Registry::built_in();
  auto gates = api::FeatureGates::parse(argc > 3 ? argv[3] : "");
  if (!gates) return std::fprintf(stderr, "%s\n", gates.error().message.c_str()), 1;
  const auto store = store::open_ephemeral(executor);
  store::Resources resources(*store, registry, *gates, clock, Rng::from_system());
  executor.post([&] {
    for (const char* const name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
      auto space = std::make_shared<core::Namespace>();
      space->metadata.name = name;
      (void)resources.create(registry.of<core::Namespace>(), space);
    }
  });
  auto certificates = apiserver::make_certificates(clock);
  if (!certificates) return std::fprintf(stderr, "%s\n", certificates.error().message.c_str()), 1;
  apiserver::Server::Options options;
  options.certificates = *certificates;
  if (argc > 2) options.port = std::atoi(argv[2]);
  std::string runtime = argc > 4 ? argv[4] : "";
  for (std::size_t at = 0; at < runtime.size();) {
    const auto end = std::min(runtime.find(',', at), runtime.size());
    const std::string one = runtime.substr(at, end - at);
    options.runtime_config[one.substr(0, one.find('='))] = one.find("=false") == std::string::npos;
    at = end + 1;
  }
  apiserver::Server server(options, resources, executor, nullptr);
  if (const auto started = server.start(); !started) return std::fprintf(stderr, "%s\n", started.error().message.c_str()), 1;
  if (const auto written = apiserver::write_private_file(argv[1], apiserver::kubeconfig(*certificates, server.url())); !written) return 1;
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  int received = 0;
  sigwait(&signals, &received);
  server.stop();
  executor.stop();
  return 0;
}
