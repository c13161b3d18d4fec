// Files with the functions that graphs call from outside of their library, for code that runs here.
#pragma once

#include "driver/load/LoadedLibrary.h"

namespace kgen {

/// Opens the files and makes them the library's: `library.linked`. Functions that none of them
/// defines are errors at their nodes.
void linkExterns(LoadedLibrary &library, const std::vector<std::string> &paths,
                 Diagnostics &diagnostics);

/// Reports extern functions if there are no files to link, which only a linker knows.
void checkExternsAreLinked(const LoadedLibrary &library, const std::vector<std::string> &paths,
                           Diagnostics &diagnostics);

} // namespace kgen
