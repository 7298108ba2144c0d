/// The command line: one file per subcommand beside this one.
#pragma once

namespace dray::cli {

/// Exit status: 0 done, 1 the user's input or the world refused, 2 wrong usage.
[[nodiscard]] int run(int argc, char** argv);

}  // namespace dray::cli
