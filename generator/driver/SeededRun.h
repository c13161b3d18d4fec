// One function called in two libraries with the same seeded inputs.
#pragma once

#include "driver/LoadedCode.h"

namespace kgen {

/// Runs `symbol` of both and returns a line per output and set of inputs that differs. Two sets:
/// floats in [-1, 1), and in [0.5, 1.5) for graphs with roots, logarithms or divisions.
llvm::Expected<std::vector<std::string>> compareRuns(const GraphInterface &graph,
                                                     const std::string &symbol,
                                                     int64_t workspaceBytes, LoadedCode &present,
                                                     LoadedCode &made);

} // namespace kgen
