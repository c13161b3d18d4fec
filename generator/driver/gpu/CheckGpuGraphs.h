// Limits of graphs for graphics cards that need no code to be known.
#pragma once

#include "driver/gpu/CutGraph.h"
#include "target/GpuSpec.h"

namespace kgen {

/// The way out for a node that no graphics card computes.
extern const char runOnCpuAdvice[];

/// Reports all that has no form for graphics cards yet and is known without code: states, sizes
/// that are known at run time only, extern functions that are not the CPU's. Returns true if there
/// is nothing of it.
bool checkForGpu(const CutGraph &graph, const GpuSpec &gpu, Diagnostics &diagnostics);

} // namespace kgen
