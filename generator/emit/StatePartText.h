// Functions that read and write one place along an axis of a state, as a sequence of its batch.
#pragma once

#include "emit/StateLayout.h"

namespace kgen {

/// Declarations for the header.
std::string statePartDeclarations(const LibraryInterface &library);
/// The functions, after those that read and write whole tensors.
std::string statePartFunctions(const LibraryInterface &library);

} // namespace kgen
