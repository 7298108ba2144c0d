// Quantities: arithmetic never fails badly, and undoing it restores the value.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "machinery/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = text.find('|');
  const auto a = dray::Quantity::parse(text.substr(0, middle));
  if (!a) return 0;
  const auto printed = dray::Quantity::parse(a->str());
  if (!printed) std::abort();
  (void)a->value();
  (void)a->milli_value();
  (void)a->as_double();
  (void)a->decimal();
  dray::Quantity rounded = *a;
  (void)rounded.round_up(-3);
  const auto b = dray::Quantity::parse(middle == std::string_view::npos ? "1" : text.substr(middle + 1));
  if (!b) return 0;
  dray::Quantity sum = *a + *b;
  sum -= *b;
  (void)sum.multiply(3);
  const bool mirrored = ((*a <=> *b) < 0) == ((*b <=> *a) > 0);
  if (!mirrored) std::abort();
  return 0;
}
