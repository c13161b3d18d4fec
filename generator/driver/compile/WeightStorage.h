// Places of the bytes of every weight of a graph, from the records of passes.
#pragma once

#include "explain/Explanation.h"
#include "graph/Graph.h"

#include <mlir/IR/BuiltinAttributes.h>

namespace kgen {

/// A row for each constant of the code that holds bytes of weights, then one for each weight of
/// which no bytes are left.
std::vector<ExplainedWeight> explainWeights(const Graph &graph,
                                            llvm::ArrayRef<mlir::DictionaryAttr> decisions);

} // namespace kgen
