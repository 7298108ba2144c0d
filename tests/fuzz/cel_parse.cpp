// CEL: any text compiles or is refused, within its budgets, and the answer is the same twice.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cel/inspect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto any = dray::cel::compile_any(text);
  const auto selector = dray::cel::compile_selector(text);
  // A selector is an expression that gives a bool.
  if (selector.has_value() && !any.has_value()) std::abort();
  if (selector.has_value() && (*selector)->estimated_cost() != (*any)->estimated_cost()) std::abort();
  return 0;
}
