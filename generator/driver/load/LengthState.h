// How many rows of growing caches are filled, as a state that functions advance.
#pragma once

#include "graph/Graph.h"

namespace kgen {

/// What a call adds to a cache that is a state.
struct CacheGrowth {
  Dim filled; ///< rows before the call
  Dim added;
};

/// Makes a state of each size that says how many rows of caches are filled, if a call adds as many
/// to all of them: callers do not give the size then. States of the graph come after all other
/// inputs and outputs.
void holdLengths(const std::vector<CacheGrowth> &caches, Graph &graph);

} // namespace kgen
