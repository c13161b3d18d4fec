// A library of several architectures: each is generated for itself, into a folder of the library's.
#pragma once

#include "driver/generate/Generate.h"

namespace kgen {

/// True if a library comes of it, and no code at a higher level.
bool makesLibrary(const GenerateOptions &options);
ObjectKind objectKind(const GenerateOptions &options);

/// Fills in what says which library it is; `hash` is its specHash.
void identify(const GenerateOptions &options, const LoadedLibrary &library, const std::string &hash,
              LibraryInterface &interface);

/// Generates a library whose targets are all of one architecture, or code that is no library.
/// Options were checked.
GenerateStatus generateOneArchitecture(const GenerateOptions &options, const LoadedLibrary &library,
                                       GenerateResult &result, Diagnostics &diagnostics);

} // namespace kgen
