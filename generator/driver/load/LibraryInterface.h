// A library as its users see it, as far as it is known before anything is compiled.
#pragma once

#include "driver/load/LoadedLibrary.h"
#include "emit/Library.h"

namespace kgen {

/// The graph's function as users see it, without what is known only when it has been compiled.
GraphInterface interfaceOf(const Graph &graph, const LoadedLibrary &library);
/// The states of the library, at their places.
std::vector<StateInterface> statesOf(const LibrarySpec &spec);
/// Likewise, with what the graphs read of them.
std::vector<StateInterface> statesOf(const LoadedLibrary &library);
/// Versions of the graph, without what is known only when they have been compiled.
void addVersions(const LoadedLibrary &library, GraphInterface &described);

/// Returns what users of the library see, as far as it is known before anything is compiled: sizes
/// of workspaces are 0.
LibraryInterface uncompiledInterface(const LoadedLibrary &library);

} // namespace kgen
