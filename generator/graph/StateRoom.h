// Rows that a graph writes into its states.
#pragma once

#include "graph/Graph.h"
#include "support/ElementTerm.h"

namespace kgen {

/// Rows that a node writes into a state from each of some positions on.
struct StateRoom {
  std::vector<ElementLoop> loops; ///< of the positions
  ElementTermPtr position;        ///< of the graph's inputs
  Dim rows, capacity;
  bool countsFromEnd = false; ///< what is negative
};

/// Of each write of rows that may have no room, whose positions are terms of states, inputs, sizes
/// and constants. Another position is not known before the code runs, which takes the nearest one
/// that has room instead.
std::vector<StateRoom> stateRooms(const Graph &graph);

} // namespace kgen
