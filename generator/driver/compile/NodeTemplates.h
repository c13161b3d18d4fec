// Templates in the flow from a spec to code.
#pragma once

#include "graph/Graph.h"

#include <mlir/IR/BuiltinOps.h>

#include <llvm/Support/Error.h>

namespace kgen {

enum class TemplateUse {
  instances,  ///< nodes that are templates become what these are made of
  replacing,  ///< and templates take the place of what they name in `replaces`
  references, ///< nodes become what the templates are made of that theirs name in `reference`
};

/// Without templates the module stays as it is. Errors (ScheduleErrors) are at the node, with the
/// template's place.
llvm::Error instantiateNodes(mlir::ModuleOp module, const Graph &graph, TemplateUse use);

} // namespace kgen
