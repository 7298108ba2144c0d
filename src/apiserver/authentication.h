/// Bearer tokens and client certificates. Immutable after construction; thread-safe.
#pragma once

#include <memory>
#include <string>

#include "apiserver/certificates.h"
#include "apiserver/http.h"
#include "apiserver/user.h"
#include "base/clock.h"
#include "base/error.h"

namespace dray::apiserver {

/// What a service-account token says, beside its signature.
struct ServiceAccountClaims {
  std::string namespace_, name, uid;
  std::string pod_name, pod_uid, node_name, node_uid, secret_name, secret_uid;  // what it is bound to
  std::vector<std::string> audiences;
  std::int64_t issued = 0, expires = 0;  // seconds since 1970
  std::string id;
};

class Authentication {
 public:
  static constexpr std::string_view kIssuer = "https://kubernetes.default.svc";

  Authentication(const Certificates& certificates, const Clock& clock);
  ~Authentication();

  /// The Authorization header counts before the certificate. Without either: system:anonymous.
  /// Error kUnauthorized.
  [[nodiscard]] Result<User> authenticate(const HttpRequest& request) const;
  [[nodiscard]] Result<User> authenticate_token(std::string_view token) const;

  /// A signed token (ES256).
  [[nodiscard]] std::string issue(const ServiceAccountClaims& claims) const;
  /// The claims of a token whose signature and time hold. Error kUnauthorized.
  [[nodiscard]] Result<ServiceAccountClaims> verify(std::string_view token) const;

 private:
  struct Keys;
  std::string admin_token_;
  const Clock& clock_;
  std::unique_ptr<Keys> keys_;
};

}  // namespace dray::apiserver
