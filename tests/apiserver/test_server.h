/// A server over an empty store, and a blocking client for it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/server.h"

namespace dray::apiserver::testing {

struct Answer {
  int status = 0;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  [[nodiscard]] std::string header(std::string_view name) const;
};

struct Ask {
  std::string method = "GET";
  std::string target;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // beside the administrator's token
  bool anonymous = false;
};

class TestServer {
 public:
  explicit TestServer(Server::Options options = {});
  ~TestServer();

  /// One request over a connection of its own.
  [[nodiscard]] Answer ask(const Ask& what);
  [[nodiscard]] Answer get(std::string target) { return ask({.target = std::move(target), .body = {}, .headers = {}}); }
  [[nodiscard]] Answer post(std::string target, std::string body) {
    return ask({.method = "POST", .target = std::move(target), .body = std::move(body), .headers = {}});
  }
  [[nodiscard]] const Certificates& certificates() const { return certificates_; }
  [[nodiscard]] Server& server() { return *server_; }

 private:
  struct Parts;
  Certificates certificates_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<Server> server_;
};

}  // namespace dray::apiserver::testing
