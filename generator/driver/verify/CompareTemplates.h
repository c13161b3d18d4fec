// Templates against what they stand for, on numbers.
#pragma once

#include "driver/load/LoadedLibrary.h"

namespace kgen {

/// Runs, on seeded inputs and in every variant that this CPU supports, against plain loops:
/// - each distinct instance that a node is and whose header names another template in `reference`,
///   against that one. What differs is an error at the node that names both;
/// - the graphs in which templates take the place of operations, or are micro-kernels. What differs
/// is an error at the
///   first of the nodes, with the templates that act in the graph.
/// Without such templates nothing is compiled.
void compareTemplates(const LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
