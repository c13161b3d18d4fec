// Rows that a graph writes into its states.
#pragma once

#include "graph/Graph.h"

namespace kgen {

/// Rows that a node writes into a state from each of some positions on.
struct StateRoom {
  size_t input;       ///< of the graph, which has the positions: i64 or i32
  Dim rows, capacity; ///< `rows` with what is added to the positions
};

/// Of each write of rows whose positions are a state or an input, or that and numbers or sizes, in
/// any shape, but at least a number that has room. Another position that is computed is not known
/// before the code runs, which takes the last one that has room instead.
std::vector<StateRoom> stateRooms(const Graph &graph);

} // namespace kgen
