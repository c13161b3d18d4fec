// The checks of `kgen check` beyond types: if nodes can be lowered, templates called and schedules
// applied, for each target.
#pragma once

#include "driver/load/LoadedLibrary.h"
#include "support/Diagnostics.h"

namespace kgen {

/// Reports what `kgen generate` would refuse. Nothing is compiled but graphs that have schedules,
/// whose decisions depend on what passes make of their nodes, and these not to code.
void checkGraphs(const LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
