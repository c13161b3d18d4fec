// The functions from outside of a library that its graphs call: whether they fit together.
#pragma once

#include "emit/Library.h"
#include "graph/Graph.h"
#include "support/Diagnostics.h"

namespace kgen {

/// The functions that graphs call, in the order of their first calls.
std::vector<ExternInterface> externsOf(const std::vector<Graph> &graphs);
/// The symbols of those that one graph calls.
std::vector<std::string> externSymbolsOf(const Graph &graph);

/// Reports names that C or LLVM have, and calls of one function that differ in their types or
/// workspaces.
void checkExterns(const std::vector<Graph> &graphs, Diagnostics &diagnostics);

} // namespace kgen
