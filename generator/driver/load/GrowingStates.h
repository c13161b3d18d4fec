// Caches of a model that an output has more rows of than the input.
#pragma once

#include "graph/Graph.h"

namespace kgen {

/// The axis along which the output is longer than the input, whose size there is open; nothing if
/// they differ in any other way.
std::optional<size_t> growingAxis(const Graph &graph, ValueId input, ValueId output);

/// Makes the input a cache of the greatest length of the output, of which the graph reads as much
/// as it is given the size of, and the output that cache with the new rows after these. Returns why
/// it cannot.
std::string growInPlace(Graph &graph, ValueId input, size_t output, size_t axis);

} // namespace kgen
