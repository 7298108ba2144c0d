// JSON: what parses prints and parses again to the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machinery/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = dray::parse_json(text);
  if (!parsed) return 0;
  const auto again = dray::parse_json(dray::print_json(*parsed));
  if (!again || *again != *parsed) std::abort();
  return 0;
}
