// Graphics cards among a library's targets.
#pragma once

#include "driver/load/LoadedLibrary.h"

namespace kgen {

/// True if the name is that of a graphics card, which `gpus` has then; what is wrong is reported.
bool takeGpu(const Located<std::string> &name, const std::string &specPath,
             const std::vector<std::string> &searchPath, std::vector<GpuSpec> &gpus,
             Diagnostics &diagnostics);

/// Reports graphics cards without targets of one architecture on Linux beside them.
void checkGpus(const LoadedLibrary &library, Diagnostics &diagnostics);

/// Finds the nodes that `run_on` of a graph's spec is about. Names that are none are errors.
void takeCpuNodes(const GraphSpec &spec, const Graph &graph, LoadedLibrary &library,
                  Diagnostics &diagnostics);

} // namespace kgen
