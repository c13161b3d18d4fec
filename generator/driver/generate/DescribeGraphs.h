// Descriptions of graphs and variants for users of a library, once all is compiled.
#pragma once

#include "driver/generate/Generate.h"
#include "driver/gpu/CutGraph.h"

namespace kgen {

/// Adds the graphs to the interface, their parts on the CPU (`cuts`, for graphics cards), and the
/// variants.
void describeGraphs(const LoadedLibrary &library, const std::vector<CutGraph> &cuts,
                    const std::vector<Part> &parts, LibraryInterface &interface);

} // namespace kgen
