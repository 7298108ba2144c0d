/// RFC 6455 framing, as much as a server needs that sends text and answers pings and closes.
/// Private to apiserver. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/http.h"

namespace dray::apiserver::websocket {

enum class Opcode : std::uint8_t { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

/// The "101 Switching Protocols" answer; of the offered subprotocols the first that is known.
[[nodiscard]] std::string accept_head(const HttpRequest& request);
/// Whether messages are base64 texts: the old subprotocol "base64.binary.k8s.io".
[[nodiscard]] bool wants_base64(const HttpRequest& request);
/// The head of an unmasked final frame.
[[nodiscard]] std::string frame_head(Opcode opcode, std::size_t payload_size);
/// A normal closure.
[[nodiscard]] std::string close_frame();

struct Frame {
  std::size_t size = 0;  // bytes consumed; 0: more bytes are needed
  Opcode opcode = Opcode::kText;
  std::string payload;
  bool bad = false;  // not masked, or larger than a client of ours may send (64 KiB)
};
[[nodiscard]] Frame parse_frame(std::string_view bytes);

}  // namespace dray::apiserver::websocket
