#include "apiserver/server.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "apiserver/authorization.h"
#include "apiserver/connection.h"
#include "apiserver/pipeline.h"
#include "apiserver/rbac_rules.h"
#include "apiserver/tls.h"
#include "api/rbac_v1.h"

namespace dray::apiserver {
namespace {

constexpr auto kDrainTime = std::chrono::seconds(1);

}  // namespace

struct Server::Impl {
  Impl(Options o, store::Resources& r, Executor& e, LogSource* l)
      : options(std::move(o)), core(std::make_shared<Core>(r, e, options.certificates, l)) {}

  Result<> listen();
  void accept();
  void accepted(asio::ip::tcp::socket socket);
  void publish_rules();
  void watch_rules();
  void drain();

  const Options options;
  const CorePtr core;
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<asio::ssl::context> tls;
  std::vector<std::unique_ptr<IoThread>> io;
  std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards;
  std::vector<std::thread> threads;
  std::unique_ptr<asio::ip::tcp::acceptor> acceptor;  // on io[0]
  std::size_t next = 0;
  int port = 0;
  // Executor.
  std::vector<std::unique_ptr<store::Watch>> rule_watches;
  bool rules_wait = false;
};

Result<> Server::Impl::listen() {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) return fail(Code::kBadRequest, "listen address " + options.address + ": " + error.message());
  const asio::ip::tcp::endpoint endpoint(address, static_cast<std::uint16_t>(options.port));
  acceptor = std::make_unique<asio::ip::tcp::acceptor>(io[0]->io);
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) return fail(Code::kUnavailable, options.address + ":" + std::to_string(options.port) + ": " + error.message());
  port = acceptor->local_endpoint().port();
  return {};
}

void Server::Impl::accept() {
  IoThread& target = *io[next++ % io.size()];
  acceptor->async_accept(target.io, [this](const boost::system::error_code& error, asio::ip::tcp::socket socket) {
    if (error == asio::error::operation_aborted || !acceptor->is_open()) return;
    if (!error) accepted(std::move(socket));
    accept();
  });
}

void Server::Impl::accepted(asio::ip::tcp::socket socket) {
  int connections = 0;
  for (const auto& thread : io) connections += thread->connections.load(std::memory_order_relaxed);
  core->metrics.connections(connections);
  if (connections >= options.connections_max) return;  // the socket closes
  IoThread& target = *io[(next - 1) % io.size()];
  asio::post(target.io, [&target, s = std::make_shared<asio::ip::tcp::socket>(std::move(socket))] {
    if (!target.stopping) serve_connection(target, std::move(*s));
  });
}

/// Reads the RBAC rules anew, once for all changes of one moment.
void Server::Impl::publish_rules() {
  if (std::exchange(rules_wait, true)) return;
  core->executor.post([this] {
    rules_wait = false;
    core->authorization->publish(RbacRules::read(core->resources.store(), core->resources.registry()));
  });
}

void Server::Impl::watch_rules() {
  store::Store& store = core->resources.store();
  const api::Registry& registry = core->resources.registry();
  for (const StructDescriptor* const type : {&rbac::Role::kDescriptor, &rbac::ClusterRole::kDescriptor, &rbac::RoleBinding::kDescriptor, &rbac::ClusterRoleBinding::kDescriptor}) {
    auto watch = store.watch(registry.of(*type), store.revision(), [this](const store::EventPtr&) { publish_rules(); });
    if (watch) rule_watches.push_back(std::move(*watch));
  }
  core->authorization->publish(RbacRules::read(store, registry));
  core->catalog.store(Catalog::make(registry, options.runtime_config));
}

Server::Server(Options options, store::Resources& resources, Executor& executor, LogSource* logs)
    : impl_(std::make_unique<Impl>(std::move(options), resources, executor, logs)) {}

Server::~Server() { stop(); }

Result<> Server::start() {
  Impl& impl = *impl_;
  TRY_ASSIGN(impl.tls, make_tls_context(impl.options.certificates));
  impl.pipeline = std::make_unique<Pipeline>(impl.core, InFlightLimits{impl.options.reads_in_flight_max, impl.options.writes_in_flight_max});
  const int wanted = impl.options.threads > 0 ? impl.options.threads : static_cast<int>(std::clamp(std::thread::hardware_concurrency() / 2, 1u, 8u));
  for (int i = 0; i < wanted; ++i) {
    auto thread = std::make_unique<IoThread>();
    thread->tls = impl.tls.get();
    thread->handler = [pipeline = impl.pipeline.get()](const ExchangePtr& exchange) { pipeline->handle(exchange); };
    impl.guards.push_back(asio::make_work_guard(thread->io));
    impl.io.push_back(std::move(thread));
  }
  TRY(impl.listen());
  // The first request must find the catalog: it is read where the store lives.
  std::promise<void> ready;
  impl.core->executor.post([&] {
    impl.watch_rules();
    ready.set_value();
  });
  ready.get_future().wait();
  for (const auto& thread : impl.io) impl.threads.emplace_back([&io = thread->io] { io.run(); });
  asio::post(impl.io[0]->io, [&impl] { impl.accept(); });
  return {};
}

int Server::port() const { return impl_->port; }

std::string Server::url() const {
  const bool any = impl_->options.address == "0.0.0.0" || impl_->options.address == "::";
  const std::string host = any ? "127.0.0.1" : impl_->options.address;
  return "https://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(impl_->port);
}

void Server::Impl::drain() {
  for (const auto& thread : io) {
    asio::post(thread->io, [&thread = *thread] {
      thread.stopping = true;
      std::vector<std::shared_ptr<Session>> alive;
      for (Session* const session : thread.sessions) alive.push_back(session->shared_from_this());
      for (const auto& session : alive) session->drain();
    });
  }
}

void Server::stop() {
  Impl& impl = *impl_;
  if (impl.threads.empty() || impl.core->stopping.exchange(true)) return;
  asio::post(impl.io[0]->io, [&impl] {
    boost::system::error_code ignored;
    impl.acceptor->close(ignored);
  });
  impl.drain();
  const MonoTime deadline = impl.core->clock.mono() + kDrainTime;
  const auto open = [&] { return std::ranges::any_of(impl.io, [](const auto& thread) { return thread->connections.load() > 0; }); };
  for (asio::io_context wait; open() && impl.core->clock.mono() < deadline;) {
    asio::steady_timer(wait, std::chrono::milliseconds(5)).wait();
  }
  for (const auto& thread : impl.io) {
    asio::post(thread->io, [&thread = *thread] {
      std::vector<std::shared_ptr<Session>> alive;
      for (Session* const session : thread.sessions) alive.push_back(session->shared_from_this());
      for (const auto& session : alive) session->close();
      thread.io.stop();
    });
  }
  for (std::thread& thread : impl.threads) thread.join();
  impl.threads.clear();
  std::promise<void> done;
  impl.core->executor.post([&] {
    impl.rule_watches.clear();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace dray::apiserver
