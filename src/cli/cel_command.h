/// `dray cel 'EXPRESSION' [-f FILE]...`: what a CEL expression is for each device of some
/// ResourceSlices, its type and its cost, for authors of drivers and classes; without a cluster.
/// `dray cel --json-lines`: one expression per line, one answer per line (cel/answer.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"

namespace CLI {
class App;
}

namespace dray::cli {

/// Adds the subcommand; running it sets `exit_status`: 1 if the expression does not compile, or fails
/// for some device.
void add_cel_command(CLI::App& app, int& exit_status);

struct CelOptions {
  std::string expression;
  std::vector<std::string> files;  // ResourceSlices, in YAML or JSON; other kinds are left out
  bool derived = false;            // it is for a derived attribute
  bool is_new = false;             // as the API server compiles it, instead of what is stored
};

/// Whether it compiles and no device makes it fail.
/// Error kInvalid: what can't be read, with its place.
[[nodiscard]] Result<bool> show_cel(const CelOptions& options, std::ostream& out);

/// Answers line by line, each at once.
void answer_cel_lines(std::istream& in, std::ostream& out);

}  // namespace dray::cli
