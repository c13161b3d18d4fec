// Versions of graphs: some of their sizes are numbers.
#pragma once

#include "driver/load/LoadedLibrary.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace kgen {

/// Makes the versions that `spec` has of the library's graphs, which `load` builds. Those of sizes
/// that `given`, the sizes of the command line, leaves out are none; what else is not possible is
/// reported.
void loadVersions(const LibrarySpec &spec, const std::map<std::string, Dim> &given,
                  llvm::function_ref<std::optional<Graph>(const GraphSpec &)> load,
                  LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
