// The number of rows that are filled of growing caches, as a state that functions advance.
#pragma once

#include "graph/Graph.h"

namespace kgen {

/// The rows of a cache that is a state, and those that a call adds.
struct CacheGrowth {
  Dim filled; ///< rows before the call
  Dim added;
};

/// Makes a state of each size that says how many rows of caches are filled, if a call adds as many
/// to all of them: callers do not give the size then. States of the graph come after all other
/// inputs and outputs.
void holdLengths(const std::vector<CacheGrowth> &caches, Graph &graph);

} // namespace kgen
