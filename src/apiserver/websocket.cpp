#include "apiserver/websocket.h"

#include <openssl/evp.h>

#include "machinery/base64.h"

namespace dray::apiserver::websocket {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kPayloadMax = 64 * 1024;

std::string sha1(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha1(), nullptr);
  return {reinterpret_cast<const char*>(digest), size};
}

std::uint8_t byte(std::string_view bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }

}  // namespace

std::string accept_head(const HttpRequest& request) {
  std::string key(request.header("Sec-WebSocket-Key"));
  std::string head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ";
  head += base64_encode(sha1(key.append(kGuid)));
  head += "\r\n";
  if (wants_base64(request)) head += "Sec-WebSocket-Protocol: base64.binary.k8s.io\r\n";
  return head + "\r\n";
}

bool wants_base64(const HttpRequest& request) {
  return request.header("Sec-WebSocket-Protocol").find("base64.binary.k8s.io") != std::string_view::npos;
}

std::string frame_head(Opcode opcode, std::size_t payload_size) {
  std::string head(1, static_cast<char>(0x80 | static_cast<int>(opcode)));
  if (payload_size < 126) {
    head += static_cast<char>(payload_size);
  } else {
    const int width = payload_size < 65536 ? 2 : 8;
    head += static_cast<char>(width == 2 ? 126 : 127);
    for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) head += static_cast<char>(payload_size >> shift);
  }
  return head;
}

std::string close_frame() { return frame_head(Opcode::kClose, 2) + std::string("\x03\xe8", 2); }

Frame parse_frame(std::string_view bytes) {
  Frame frame;
  if (bytes.size() < 2) return frame;
  frame.opcode = static_cast<Opcode>(byte(bytes, 0) & 15);
  std::uint64_t size = byte(bytes, 1) & 127;
  std::size_t at = 2;
  const std::size_t width = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (bytes.size() < at + width) return frame;
  if (width != 0) size = 0;
  for (std::size_t i = 0; i < width; ++i) size = size << 8 | byte(bytes, at + i);
  at += width;
  if ((byte(bytes, 1) & 128) == 0 || size > kPayloadMax) {
    frame.size = bytes.size();
    frame.bad = true;
    return frame;
  }
  if (bytes.size() < at + 4 + size) return frame;
  for (std::size_t i = 0; i < size; ++i) frame.payload += static_cast<char>(byte(bytes, at + 4 + i) ^ byte(bytes, at + i % 4));
  frame.size = at + 4 + size;
  return frame;
}

}  // namespace dray::apiserver::websocket
