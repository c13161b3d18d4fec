// The C text by which a dispatcher uses its host's C library, which WebAssembly has not.
#pragma once

#include "emit/Library.h"

namespace kgen {

/// The header that declares getenv; "" without an environment.
std::string environmentHeader(const LibraryInterface &library);
/// The statements of <library>_init that read a variant's name from the environment.
std::string environmentRead(const LibraryInterface &library);
/// The declarations of memcpy and memset; "" for a library that needs none.
std::string stringHeader(const LibraryInterface &library);
/// The comment on <library>_init.
std::string initNote(const LibraryInterface &library);

} // namespace kgen
