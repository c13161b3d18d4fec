// The transform operations that the script of a schedule may use.
#pragma once

#include "support/Diagnostics.h"

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Reports each operation of `script` that kgen does not run, at its place, or at `where`.
/// Upstream's transform operations trust their arguments, and some corrupt memory where these are
/// not what they expect: those that docs/Schedules.md lists do not.
void checkOperations(mlir::ModuleOp script, const SourceLoc &where, Diagnostics &diagnostics);

} // namespace kgen
