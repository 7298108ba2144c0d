#include "apiserver/compress.h"

#include <zlib.h>

namespace dray::apiserver {
namespace {

/// Speed counts more than size on the networks that this is for.
constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;

/// False if zlib fails: the body is then sent as it is.
bool gzip(const std::string& in, std::string& out) {
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
  out.resize(deflateBound(&stream, in.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return done;
}

}  // namespace

void compress_if_wanted(const HttpRequest& request, HttpResponse& response) {
  if (!response.body || response.body->size() < kCompressBytesMin) return;
  if (request.header("Accept-Encoding").find("gzip") == std::string_view::npos) return;
  std::string compressed;
  if (!gzip(*response.body, compressed)) return;
  response.body = shared(std::move(compressed));
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

}  // namespace dray::apiserver
