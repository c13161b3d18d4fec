// Sizes in generated Python: what a function takes of its arrays, and of its block of state.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// The member of a function's table that has its sizes; nothing without them.
std::string pythonSizes(const LibraryInterface &library, const GraphInterface &graph);
/// The sizes that a block of state is made for, as the table of a module has them.
std::string pythonStateSizes(const LibraryInterface &library);
/// "context, rows": the names of these.
std::string pythonStateSizeNames(const LibraryInterface &library);

} // namespace kgen
