// Templates in the flow from a spec to code.
#pragma once

#include "driver/Load.h"

#include <mlir/IR/BuiltinOps.h>

#include <llvm/Support/Error.h>

namespace kgen {

/// Nodes that are templates become what these are made of, or, with `references`, what the
/// templates are made of that they name in `reference`. Errors (ScheduleErrors) are at the node,
/// with the template's place.
llvm::Error instantiateNodes(mlir::ModuleOp module, const Graph &graph, bool references = false);

/// Trial instances of all templates of the library, for each target.
void tryTemplates(const LoadedLibrary &library, Diagnostics &diagnostics);

} // namespace kgen
