/// gzip for large answers. Pure. Private to apiserver.
#pragma once

#include "apiserver/http.h"

namespace dray::apiserver {

/// kube-apiserver leaves smaller bodies as they are.
inline constexpr std::size_t kCompressBytesMin = 128 * 1024;

/// Compresses the body where the client offers gzip and it is large enough; adds the headers.
void compress_if_wanted(const HttpRequest& request, HttpResponse& response);

}  // namespace dray::apiserver
