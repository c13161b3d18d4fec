// Templates against the templates that their headers name in `reference`.
#pragma once

#include "driver/Load.h"

namespace kgen {

/// Runs each distinct instance of such templates in the library's graphs in every variant that this
/// CPU supports, on seeded inputs, against plain loops of the other template. What differs is an
/// error at the node that names both. Without such nodes nothing is compiled.
void compareWithReferences(const LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
