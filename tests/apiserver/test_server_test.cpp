#include "apiserver/test_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <future>

#include "api/core_v1.h"
#include "store/open.h"

namespace dray::apiserver::testing {

namespace asio = boost::asio;
namespace http = boost::beast::http;

struct TestServer::Parts {
  RealClock clock;
  ThreadExecutor executor{clock};
  api::Registry registry = api::Registry::built_in();
  api::FeatureGates gates;
  std::unique_ptr<store::Store> store = store::open_ephemeral(executor);
  store::Resources resources{*store, registry, gates, clock, Rng(7)};
};

TestServer::TestServer(Server::Options options) : parts_(std::make_unique<Parts>()) {
  certificates_ = make_certificates(parts_->clock).value();
  options.certificates = certificates_;
  std::promise<void> done;
  parts_->executor.post([&] {
    auto space = std::make_shared<core::Namespace>();
    space->metadata.name = "default";
    (void)parts_->resources.create(parts_->registry.of<core::Namespace>(), space);
    done.set_value();
  });
  done.get_future().wait();
  server_ = std::make_unique<Server>(std::move(options), parts_->resources, parts_->executor);
  server_->start().value();
}

TestServer::~TestServer() {
  server_->stop();
  parts_->executor.stop();
}

std::string Answer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

Answer TestServer::ask(const Ask& what) {
  asio::io_context io;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  tls.add_certificate_authority(asio::buffer(certificates_.ca));
  tls.set_verify_mode(asio::ssl::verify_peer);
  asio::ssl::stream<asio::ip::tcp::socket> socket(io, tls);
  socket.next_layer().connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(server_->port())});
  socket.handshake(asio::ssl::stream_base::client);
  http::request<http::string_body> request;
  request.method_string(what.method);
  request.target(what.target);
  request.version(11);
  request.set(http::field::host, "localhost");
  if (!what.anonymous) request.set(http::field::authorization, "Bearer " + certificates_.admin_token);
  for (const auto& [name, value] : what.headers) request.insert(name, value);
  request.body() = what.body;
  request.prepare_payload();
  http::write(socket, request);
  boost::beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(64 * 1024 * 1024);
  http::read(socket, buffer, parser);
  auto response = parser.release();
  Answer answer{static_cast<int>(response.result_int()), std::string(response[http::field::content_type]), {}, response.body()};
  for (const auto& field : response) answer.headers.emplace_back(field.name_string(), field.value());
  return answer;
}

}  // namespace dray::apiserver::testing
