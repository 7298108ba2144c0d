/// `dray allocate FILE...`: which devices would these claims get, on which nodes, or why none; without a
/// cluster. `dray allocate --json-lines`: one question per line, one answer per node (dra/json_lines.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"

namespace CLI {
class App;
}

namespace dray::cli {

/// Adds the subcommand; running it sets `exit_status`: 1 if some claim fits on no node.
void add_allocate_command(CLI::App& app, int& exit_status);

struct AllocateOptions {
  std::vector<std::string> files;
  std::string node;   // empty: every node
  std::vector<std::string> gates;  // "NAME=true"
  bool yaml = false;  // print the allocations as they would be in the claims' status
};

/// Nodes, ResourceSlices, DeviceClasses, DeviceTaintRules, ResourceClaims and ResourceClaimTemplates of
/// the files. Claims with an allocation hold their devices; the others, and one claim per template, are
/// allocated together. Whether that works on some node.
/// Error kInvalid: what can't be read, with its place.
[[nodiscard]] Result<bool> allocate(const AllocateOptions& options, std::ostream& out);

}  // namespace dray::cli
