// The part for graphics cards of a Python module; nothing for a library without one.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// The text that all modules with graphics cards share.
std::string pythonGpuRuntime(const LibraryInterface &library);
/// The tables that it reads.
std::string pythonGpuTables(const LibraryInterface &library);
/// Class Gpu, with a method for each graph.
std::string pythonGpuClass(const LibraryInterface &library);

} // namespace kgen
