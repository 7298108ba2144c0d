#include "cli/cli.h"

int main(int argc, char** argv) { return dray::cli::run(argc, argv); }
