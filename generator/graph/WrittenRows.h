// States that need no values before the first call.
#pragma once

#include "graph/Graph.h"

#include <set>

namespace kgen {

/// Names of states whose elements graphs read only after calls have written them: caches of which
/// the first rows are filled, as many as another state counts. It holds a size of the graphs,
/// begins with 0 - `counts` are those that do - and no call makes it greater than the rows that
/// are written then. Rows that are not pass only through operators that move elements, and lie in
/// no output.
std::set<std::string> statesWrittenFirst(const std::vector<Graph> &graphs,
                                         const std::set<std::string> &counts);

} // namespace kgen
