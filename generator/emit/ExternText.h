// Generated C about functions from outside of the library.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// The section of the header: who calls them, and their prototypes; empty if there are none.
std::string externDeclarations(const LibraryInterface &library);

} // namespace kgen
