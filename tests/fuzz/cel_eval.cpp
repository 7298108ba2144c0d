// CEL: what compiles can be evaluated, within its budgets; selectors say the same twice.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cel/inspect.h"

namespace {

const dray::cel::DeviceInput& device() {
  static const std::vector<std::string> names = {"a", "b", "c"};
  static const dray::Quantity memory = *dray::Quantity::parse("80Gi");
  static const dray::cel::DeviceInput input = [] {
    dray::cel::DeviceInput made("gpu.example.com");
    made.add_string("model", "A100");
    made.add_int("index", 3);
    made.add_bool("healthy", true);
    made.add_version("other.example.com/version", "1.2.3");
    made.add_strings("links", names);
    made.add_capacity("memory", memory);
    made.finish();
    return made;
  }();
  return input;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dray::cel::SelectorOptions options{.estimate_cost = false};
  const auto program = dray::cel::compile_any(text, options);
  if (!program) return 0;
  const dray::cel::Shown shown = dray::cel::show_value(**program, &device());
  const auto selector = dray::cel::compile_selector(text, options);
  if (!selector) return 0;
  std::uint64_t cost = 0;
  static_cast<void>(dray::cel::evaluate_selector(**selector, device(), &cost));
  if (cost != shown.cost) std::abort();
  return 0;
}
