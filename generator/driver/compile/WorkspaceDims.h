// Bytes of workspace as functions of the sizes that a function takes.
#pragma once

#include "support/Dim.h"

#include <llvm/ADT/ArrayRef.h>

#include <memory>
#include <string>
#include <vector>

namespace kgen {

/// CompiledGraph::workspaceSizes as functions of the graph's dimensions.
std::vector<Dim> workspaceDims(const std::string &map,
                               llvm::ArrayRef<std::shared_ptr<const DimSymbol>> dims);

} // namespace kgen
