// Allocator questions: no input crashes, hangs or passes its budget; undo is exact.
#include <cstdint>
#include <string_view>

#include "api/resource_v1.h"
#include "dra/json_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(dray::dra::answer_line(text, {.steps_max = 20000, .verify_undo = true}));
  return 0;
}
