// Arguments of kgen simulate.
#pragma once

#include "tools/Commands.h"

#include <CLI/CLI.hpp>

namespace kgen {

/// Adds the command `simulate`.
void addSimulate(CLI::App &app, SimulateCommand &command);

} // namespace kgen
