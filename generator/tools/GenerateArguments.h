// Arguments of `kgen generate` and `kgen import`.
#pragma once

#include "tools/Commands.h"

#include <CLI/CLI.hpp>

namespace kgen {

void addGenerate(CLI::App &app, GenerateCommand &command);
void addImport(CLI::App &app, ImportCommand &command);

} // namespace kgen
