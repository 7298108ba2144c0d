/// `dray up`: API server, scheduler, controllers and simulated nodes in one process, in the foreground.
#pragma once

namespace CLI {
class App;
}

namespace dray::cli {

/// Adds the subcommand; running it sets `exit_status`.
void add_up_command(CLI::App& app, int& exit_status);

}  // namespace dray::cli
