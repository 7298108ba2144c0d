#include "cli/cli.h"

#include <CLI/CLI.hpp>

#include "cli/allocate_command.h"
#include "cli/cel_command.h"
#include "cli/up_command.h"

namespace dray::cli {

int run(int argc, char** argv) {
  CLI::App app("A Kubernetes-1.37-compatible control plane for GPU and accelerator fleets.", "dray");
  app.set_version_flag("--version", "dray 0.1.0 (Kubernetes API 1.37.2)");
  app.require_subcommand(1);
  int exit_status = 0;
  add_up_command(app, exit_status);
  add_allocate_command(app, exit_status);
  add_cel_command(app, exit_status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_status;
}

}  // namespace dray::cli
