#pragma once

#include <mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h>
#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// The elimination of empty tensors lets a result be computed in the caller's memory. The analysis
/// may then find that another value takes this memory, and that the result is copied there while
/// the other one is still read: it does not see writes to memory. Such values get a buffer of their
/// own. True if there are any: the analysis is to be done again then.
bool moveOutOfResults(mlir::ModuleOp module,
                      const mlir::bufferization::OneShotAnalysisState &analysis);

} // namespace kgen
