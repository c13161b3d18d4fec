// Trial instances of templates, for `kgen check`.
#pragma once

#include "driver/load/LoadedLibrary.h"

namespace kgen {

/// Trial instances of all templates of the library, for each target.
void tryTemplates(const LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
