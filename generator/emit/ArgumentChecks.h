// Checks of arguments, as C: those of a generated function before it runs its code.
#pragma once

#include "emit/Sizes.h"

namespace kgen {

/// Pointers that must not be NULL; nothing if all may be.
std::string nullChecks(const LibraryInterface &library, const std::vector<Parameter> &parameters,
                       const SizeNames &sizes);
/// The sizes, by a call that says whether they are allowed; nothing for a graph without sizes.
std::string sizeCheck(const LibraryInterface &library, const GraphInterface &graph,
                      const std::string &isAllowed);

} // namespace kgen
