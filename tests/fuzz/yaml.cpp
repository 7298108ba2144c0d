// YAML: reading never fails badly, and what prints can be read.
#include <cstdint>
#include <string_view>

#include "machinery/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = dray::parse_yaml(text);
  if (!documents) return 0;
  for (const dray::Value& document : *documents) {
    const auto again = dray::parse_yaml(dray::print_yaml(document));
    (void)again;
  }
  return 0;
}
