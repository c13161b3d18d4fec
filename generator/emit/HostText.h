// The text by which a dispatcher uses its host's C library, which WebAssembly has not, and what
// else depends on the operating system.
#pragma once

#include "emit/Library.h"

namespace kgen {

bool isForWindows(const LibraryInterface &library);

/// The macro that comes before all headers; "" if none does.
std::string environmentMacro(const LibraryInterface &library);
/// The attribute of functions of objects; "" where nothing is seen by others unless it is exported.
std::string hiddenAttribute(const LibraryInterface &library);

/// The runtime's text for the library's system: without lines that it marks as those of others.
std::string textOnSystem(const LibraryInterface &library, const std::string &runtime);

/// The header that declares getenv; "" without an environment.
std::string environmentHeader(const LibraryInterface &library);
/// The statements of <library>_init that read a variant's name from the environment.
std::string environmentRead(const LibraryInterface &library);
/// The declarations of memcpy and memset; "" for a library that needs none.
std::string stringHeader(const LibraryInterface &library);
/// The comment on <library>_init.
std::string initNote(const LibraryInterface &library);

} // namespace kgen
