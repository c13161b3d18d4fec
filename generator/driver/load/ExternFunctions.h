// The functions from outside of a library that its graphs call: whether they fit together, and
// where they are for code that runs here.
#pragma once

#include "driver/load/Load.h"
#include "emit/Library.h"

namespace kgen {

/// The functions that graphs call, in the order of their first calls.
std::vector<ExternInterface> externsOf(const std::vector<Graph> &graphs);
/// The symbols of those that one graph calls.
std::vector<std::string> externSymbolsOf(const Graph &graph);

/// Reports names that C or LLVM have, and calls of one function that differ in their types or
/// workspaces.
void checkExterns(const std::vector<Graph> &graphs, Diagnostics &diagnostics);

/// Opens the files and makes them the library's: `library.linked`. Functions that none of them
/// defines are errors at their nodes.
void linkExterns(LoadedLibrary &library, const std::vector<std::string> &paths,
                 Diagnostics &diagnostics);

/// Returns what users of the library see, as far as it is known before anything is compiled: sizes
/// of workspaces are 0.
LibraryInterface uncompiledInterface(const LoadedLibrary &library);

} // namespace kgen
