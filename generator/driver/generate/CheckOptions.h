// Checks of the options of `kgen generate` for a library.
#pragma once

#include "driver/generate/Generate.h"

namespace kgen {

void checkOptions(const GenerateOptions &options, const LoadedLibrary &library,
                  Diagnostics &diagnostics);

} // namespace kgen
