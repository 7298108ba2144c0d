// Protobuf: any bytes are read or refused, and what was read is written and read again the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "machinery/meta_v1.h"
#include "machinery/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto envelope = dray::parse_protobuf_envelope(bytes)) {
    if (!dray::parse_protobuf_envelope(dray::print_protobuf_envelope(*envelope))) std::abort();
  }
  const dray::StructDescriptor& descriptor = dray::meta::ObjectMeta::kDescriptor;
  dray::meta::ObjectMeta first;
  if (!dray::decode_protobuf(bytes, descriptor, &first)) return 0;
  std::string written;
  dray::encode_protobuf(descriptor, &first, written);
  dray::meta::ObjectMeta second;
  if (!dray::decode_protobuf(written, descriptor, &second)) std::abort();
  std::string again;
  dray::encode_protobuf(descriptor, &second, again);
  if (again != written) std::abort();
  return 0;
}
