#include "apiserver/tls.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace dray::apiserver {
namespace {

constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
constexpr unsigned char kSessionContext[] = "dray";

int select_protocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned int in_size, void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kProtocols, sizeof kProtocols - 1, in, in_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

/// A certificate that does not verify ends no handshake: the request gets a 401 that says so.
int accept_any(int, X509_STORE_CTX*) { return 1; }

std::vector<std::string> entries(X509_NAME* name, int nid) {
  std::vector<std::string> texts;
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0; at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* utf8 = nullptr;
    const int size = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) continue;
    texts.emplace_back(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
    OPENSSL_free(utf8);
  }
  return texts;
}

}  // namespace

Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const Certificates& certificates) {
  namespace ssl = boost::asio::ssl;
  try {
    auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
    SSL_CTX* const raw = context->native_handle();
    SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
    SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_id_context(raw, kSessionContext, sizeof kSessionContext - 1);
    context->use_certificate_chain(boost::asio::buffer(certificates.server));
    context->use_private_key(boost::asio::buffer(certificates.server_key), ssl::context::pem);
    context->add_certificate_authority(boost::asio::buffer(certificates.ca));
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, accept_any);
    SSL_CTX_set_alpn_select_cb(raw, select_protocol, nullptr);
    return context;
  } catch (const std::exception& error) {
    return fail(Code::kInternal, std::string("server certificate: ") + error.what());
  }
}

TlsPeer peer_of(SSL* ssl) {
  TlsPeer peer;
  auto identity = std::make_shared<Peer>();
  if (X509* const cert = SSL_get1_peer_certificate(ssl)) {
    if (SSL_get_verify_result(ssl) == X509_V_OK) {
      X509_NAME* const subject = X509_get_subject_name(cert);
      if (auto names = entries(subject, NID_commonName); !names.empty()) identity->common_name = names.back();
      identity->organizations = entries(subject, NID_organizationName);
    } else {
      identity->bad_certificate = true;
    }
    X509_free(cert);
  }
  peer.identity = std::move(identity);
  const unsigned char* protocol = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &size);
  peer.http2 = size == 2 && protocol[0] == 'h' && protocol[1] == '2';
  return peer;
}

}  // namespace dray::apiserver
