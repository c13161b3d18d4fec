// The front end of commands with --machine.
#pragma once

#include "driver/load/LoadedLibrary.h"

#include <optional>

namespace kgen {

/// Loads a library for one machine in place of the targets; a CPU is an error.
std::optional<LoadedLibrary> loadForMachine(const std::string &specPath, const std::string &machine,
                                            const std::vector<std::string> &targetSearchPath,
                                            const ModelBindings &bindings,
                                            Diagnostics &diagnostics);

} // namespace kgen
