// Limits of graphs for graphics cards that need no code to be known.
#pragma once

#include "graph/Graph.h"
#include "target/GpuSpec.h"

namespace kgen {

/// Reports all that has no form for graphics cards yet and is known without code: states, sizes
/// that are known at run time only, extern functions. Returns true if there is nothing of it.
bool checkForGpu(const Graph &graph, const GpuSpec &gpu, Diagnostics &diagnostics);

} // namespace kgen
