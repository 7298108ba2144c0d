/// TLS contexts and what a handshake tells about the peer. Private to apiserver.
#pragma once

#include <openssl/types.h>

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "apiserver/certificates.h"
#include "apiserver/http.h"

namespace dray::apiserver {

/// TLS 1.2 and newer, ALPN h2 and http/1.1, client certificates optional and judged after the handshake.
[[nodiscard]] Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const Certificates& certificates);

struct TlsPeer {
  std::shared_ptr<const Peer> identity;
  bool http2 = false;
};
[[nodiscard]] TlsPeer peer_of(SSL* ssl);

}  // namespace dray::apiserver
