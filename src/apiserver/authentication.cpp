#include "apiserver/authentication.h"

#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <chrono>

#include "machinery/base64.h"
#include "machinery/value.h"

namespace dray::apiserver {
namespace {

std::string to_url_form(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

std::optional<std::string> from_url_form(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (plain.size() % 4 != 0) plain += '=';
  return base64_decode(plain);
}

std::unexpected<Error> unauthorized() { return fail(Code::kUnauthorized, "Unauthorized"); }

std::string_view text_at(const Value& map, std::string_view key) {
  const Value* const found = map.find(key);
  return found && found->is_string() ? std::string_view(found->as_string()) : std::string_view{};
}

std::int64_t number_at(const Value& map, std::string_view key) {
  const Value* const found = map.find(key);
  return found && found->is_int() ? found->as_int() : 0;
}

/// A reference among the private claims: {"name":..., "uid":...}.
void read_reference(const Value& kubernetes, std::string_view key, std::string& name, std::string& uid) {
  if (const Value* const reference = kubernetes.find(key)) {
    name = text_at(*reference, "name");
    uid = text_at(*reference, "uid");
  }
}

void write_reference(Value& kubernetes, std::string_view key, const std::string& name, const std::string& uid) {
  if (name.empty()) return;
  Value& reference = kubernetes[key] = Value::map();
  reference["name"] = name;
  reference["uid"] = uid;
}

constexpr std::size_t kHalf = 32;  // of a P-256 signature in JWS form: r and s

std::string raw_signature(const std::string& der) {
  const unsigned char* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* const signature = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::string raw(2 * kHalf, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(raw.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, kHalf);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + kHalf, kHalf);
  ECDSA_SIG_free(signature);
  return raw;
}

std::string der_signature(const std::string& raw) {
  const auto* const in = reinterpret_cast<const unsigned char*>(raw.data());
  ECDSA_SIG* const signature = ECDSA_SIG_new();
  ECDSA_SIG_set0(signature, BN_bin2bn(in, kHalf, nullptr), BN_bin2bn(in + kHalf, kHalf, nullptr));
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(signature, &der);
  ECDSA_SIG_free(signature);
  std::string out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(std::max(size, 0)));
  OPENSSL_free(der);
  return out;
}

}  // namespace

struct Authentication::Keys {
  EVP_PKEY* signing = nullptr;
  ~Keys() { EVP_PKEY_free(signing); }
};

Authentication::Authentication(const Certificates& certificates, const Clock& clock)
    : admin_token_(certificates.admin_token), clock_(clock), keys_(std::make_unique<Keys>()) {
  BIO* const bio = BIO_new_mem_buf(certificates.service_account_key.data(), static_cast<int>(certificates.service_account_key.size()));
  keys_->signing = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
}

Authentication::~Authentication() = default;

Result<User> Authentication::authenticate(const HttpRequest& request) const {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view header = request.header("Authorization");
  const bool bearer = header.size() >= kBearer.size() && equal_ignoring_case(header.substr(0, kBearer.size()), kBearer);
  if (bearer && header.size() > kBearer.size()) return authenticate_token(header.substr(kBearer.size()));
  if (request.peer && request.peer->bad_certificate) return unauthorized();
  User user;
  if (request.peer && !request.peer->common_name.empty()) {
    user = {request.peer->common_name, "", request.peer->organizations, {}};
    user.groups.emplace_back("system:authenticated");
  } else {
    user = {"system:anonymous", "", {"system:unauthenticated"}, {}};
  }
  return user;
}

Result<User> Authentication::authenticate_token(std::string_view token) const {
  if (!admin_token_.empty() && token.size() == admin_token_.size() &&
      CRYPTO_memcmp(token.data(), admin_token_.data(), token.size()) == 0) {
    return User{"admin", "admin", {"system:masters", "system:authenticated"}, {}};
  }
  TRY_ASSIGN(const ServiceAccountClaims claims, verify(token));
  User user{"system:serviceaccount:" + claims.namespace_ + ":" + claims.name, claims.uid, {}, {}};
  user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + claims.namespace_, "system:authenticated"};
  const auto note = [&](const char* key, const std::string& value) {
    if (!value.empty()) user.extra[std::string("authentication.kubernetes.io/") + key] = {value};
  };
  note("credential-id", claims.id.empty() ? "" : "JTI=" + claims.id);
  note("node-name", claims.node_name);
  note("node-uid", claims.node_uid);
  note("pod-name", claims.pod_name);
  note("pod-uid", claims.pod_uid);
  return user;
}

std::string Authentication::issue(const ServiceAccountClaims& claims) const {
  Value body = Value::map();
  Value& audiences = body["aud"] = Value::list();
  for (const std::string& audience : claims.audiences) audiences.as_list().emplace_back(audience);
  body["exp"] = claims.expires;
  body["iat"] = claims.issued;
  body["iss"] = kIssuer;
  body["jti"] = claims.id;
  Value kubernetes = Value::map();
  kubernetes["namespace"] = claims.namespace_;
  write_reference(kubernetes, "node", claims.node_name, claims.node_uid);
  write_reference(kubernetes, "pod", claims.pod_name, claims.pod_uid);
  write_reference(kubernetes, "secret", claims.secret_name, claims.secret_uid);
  write_reference(kubernetes, "serviceaccount", claims.name, claims.uid);
  body["kubernetes.io"] = std::move(kubernetes);
  body["nbf"] = claims.issued;
  body["sub"] = "system:serviceaccount:" + claims.namespace_ + ":" + claims.name;
  std::string text = to_url_form(base64_encode(R"({"alg":"ES256","typ":"JWT"})")) + "." + to_url_form(base64_encode(print_json(body)));

  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  std::size_t size = 0;
  const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
  EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, keys_->signing);
  EVP_DigestSign(context, nullptr, &size, data, text.size());
  std::string signature(size, '\0');
  EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, data, text.size());
  EVP_MD_CTX_free(context);
  signature.resize(size);
  return text + "." + to_url_form(base64_encode(raw_signature(signature)));
}

Result<ServiceAccountClaims> Authentication::verify(std::string_view token) const {
  const auto first = token.find('.');
  const auto second = token.rfind('.');
  if (first == std::string_view::npos || second == first) return unauthorized();
  const auto signature = from_url_form(token.substr(second + 1));
  const auto text = from_url_form(token.substr(first + 1, second - first - 1));
  if (!signature || signature->size() != 2 * kHalf || !text) return unauthorized();
  const std::string der = der_signature(*signature);
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, keys_->signing);
  const int good = EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(der.data()), der.size(),
                                    reinterpret_cast<const unsigned char*>(token.data()), second);
  EVP_MD_CTX_free(context);
  if (good != 1) return unauthorized();
  const auto body = parse_json(*text);
  if (!body || text_at(*body, "iss") != kIssuer) return unauthorized();
  ServiceAccountClaims claims;
  claims.expires = number_at(*body, "exp");
  claims.issued = number_at(*body, "iat");
  claims.id = text_at(*body, "jti");
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  const Value* const kubernetes = body->find("kubernetes.io");
  if (claims.expires <= now || !kubernetes) return unauthorized();
  claims.namespace_ = text_at(*kubernetes, "namespace");
  read_reference(*kubernetes, "serviceaccount", claims.name, claims.uid);
  read_reference(*kubernetes, "pod", claims.pod_name, claims.pod_uid);
  read_reference(*kubernetes, "node", claims.node_name, claims.node_uid);
  read_reference(*kubernetes, "secret", claims.secret_name, claims.secret_uid);
  if (const Value* const audiences = body->find("aud"); audiences && audiences->is_list()) {
    for (const Value& audience : audiences->as_list()) {
      if (audience.is_string()) claims.audiences.push_back(audience.as_string());
    }
  }
  return claims;
}

}  // namespace dray::apiserver
