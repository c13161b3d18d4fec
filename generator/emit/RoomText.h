// Generated C that refuses calls with rows for which a state has no room.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// Functions that the checks call, before those of the graphs; nothing if there are none.
std::string roomFunctions(const LibraryInterface &library);
/// Refuses a call with more rows than there is room for, in the function that runs the code.
std::string roomChecks(const LibraryInterface &library, const GraphInterface &graph);

} // namespace kgen
