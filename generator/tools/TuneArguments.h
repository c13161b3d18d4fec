// Arguments of `kgen tune`.
#pragma once

#include "tools/Commands.h"

#include <CLI/CLI.hpp>

namespace kgen {

void addTune(CLI::App &app, TuneCommand &command);

} // namespace kgen
