// The promises of a library about its numbers.
#pragma once

#include "graph/Graph.h"

#include <string>
#include <vector>

namespace kgen {

/// The contract in the header's comment, line by line.
std::vector<std::string> numericsOf(const Graph &graph);

} // namespace kgen
