/// What somebody may have meant, for people. The API's own texts stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/device.h"
#include "cel/program.h"

namespace dray::cel {

/// For a run-time error "no such key: memry" on a device:
/// "no such attribute 'memry' in domain gpu.example.com; near: memory". Empty if nothing is known.
[[nodiscard]] std::string hint_for_missing(const Program& program, const DeviceInput& device,
                                           std::string_view error);

/// For a compile error about a name that is not declared: "'exsts' is not known here; near: exists".
[[nodiscard]] std::string hint_for_undeclared(std::string_view error,
                                              const SelectorOptions& options = {});

/// The names that differ in the fewest letters, if these are few; sorted, at most three.
[[nodiscard]] std::vector<std::string> near_names(std::string_view name,
                                                  const std::vector<std::string>& known);

}  // namespace dray::cel
