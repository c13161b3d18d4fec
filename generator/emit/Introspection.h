// The const tables that describe a library's functions, and the call by index.
#pragma once

#include "emit/Library.h"

namespace kgen {

std::string emitIntrospection(const LibraryInterface &library);

} // namespace kgen
