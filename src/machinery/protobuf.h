/// Kubernetes' protobuf: the schema's structs on the wire, and the envelope "k8s\0" + runtime.Unknown
/// around them. One walker over the descriptor tables. Pure; any thread.
/// Source: generated.proto of k8s.io/api and k8s.io/apimachinery; pkg/runtime/serializer/protobuf.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "machinery/descriptor.h"
#include "machinery/object.h"

namespace dray {

struct ProtobufEnvelope {
  std::string api_version;
  std::string kind;
  std::string raw;               // the kind's own message, or something of `content_type`
  std::string content_encoding;  // empty
  std::string content_type;      // empty: protobuf
};

/// Whether a body begins with "k8s\0".
[[nodiscard]] bool is_protobuf(std::string_view body);
/// Error kBadRequest if it is no envelope.
[[nodiscard]] Result<ProtobufEnvelope> parse_protobuf_envelope(std::string_view body);
[[nodiscard]] std::string print_protobuf_envelope(const ProtobufEnvelope& envelope);

/// A whole object in its envelope.
[[nodiscard]] std::string encode_protobuf(const Object& object);
/// Appends the message alone, fields in the order of their tags, as Go writes it.
void encode_protobuf(const StructDescriptor& descriptor, const void* in, std::string& out);

/// Fills `*out` (a default struct of `descriptor`) from a message; unknown fields are skipped. Members
/// that Go writes although they are unset (empty strings, zeros) end up unset.
/// Error kBadRequest for bytes that are no such message; kept within 100 levels.
[[nodiscard]] Result<> decode_protobuf(std::string_view message, const StructDescriptor& descriptor,
                                       void* out);
/// A fresh object of `kind` from the message in an envelope.
[[nodiscard]] Result<std::shared_ptr<Object>> decode_protobuf_object(std::string_view message,
                                                                     const StructDescriptor& kind);

/// One frame of a watch in protobuf: four bytes of length, then WatchEvent{type, object}, where
/// `object` is an object in its envelope.
[[nodiscard]] std::string protobuf_watch_frame(std::string_view type, std::string_view object);

}  // namespace dray
