/// Expressions of any type over devices, to look at: what `dray cel` shows.
#pragma once

#include <string>
#include <string_view>

#include "cel/device.h"
#include "cel/program.h"

namespace dray::cel {

/// As compile_selector, but the value may have any type.
[[nodiscard]] Result<ProgramPtr> compile_any(std::string_view expression,
                                             const SelectorOptions& options = {});

/// Why the program's type is none that a selector (or a derived attribute) can have, or empty.
[[nodiscard]] std::string selector_refusal(const Program& program, const SelectorOptions& options);

struct Shown {
  bool ok = false;
  std::string text;  // the value as a literal of the language, or the error
  std::uint64_t cost = 0;
};
/// Without a device the variable `device` is missing. Thread-safe.
[[nodiscard]] Shown show_value(const Program& program, const DeviceInput* device);

}  // namespace dray::cel
