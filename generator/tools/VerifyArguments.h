// Arguments of `kgen verify`.
#pragma once

#include "tools/Commands.h"

#include <CLI/CLI.hpp>

namespace kgen {

void addVerify(CLI::App &app, VerifyCommand &command);

} // namespace kgen
