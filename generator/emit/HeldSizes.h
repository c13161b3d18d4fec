// Sizes of functions that a state holds: calls read them from their block, callers do not give
// them.
#pragma once

#include "emit/Names.h"

namespace kgen {

/// The C function that reads one; "" if there are none.
std::string heldSizeFunction(const LibraryInterface &library);
/// C that defines the sizes as variables, in a function whose block of state was checked. Returns
/// from it if one is out of bounds.
std::string heldSizeVariables(const LibraryInterface &library, const GraphInterface &graph);
/// Returns what a function's comment says of them; "" if there are none.
std::string heldSizesNote(const LibraryInterface &library, const GraphInterface &graph);

} // namespace kgen
