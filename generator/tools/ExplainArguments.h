// The command line of kgen explain.
#pragma once

#include "tools/Commands.h"

#include <CLI/CLI.hpp>

namespace kgen {

void addExplain(CLI::App &app, ExplainCommand &command);

} // namespace kgen
