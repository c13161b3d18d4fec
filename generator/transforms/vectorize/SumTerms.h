// Additions to the sums that an elementwise operation reads.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// An addition of an input's element to a sum, in the body of the reader.
struct SumTerm {
  mlir::arith::AddIOp addition;
  mlir::Value sum;
  mlir::BlockArgument added;
};

/// Returns the additions to `sums`, one after the other, that come before all else that `reader`
/// computes of them, as long as `isWanted` holds for what is added.
mlir::SmallVector<SumTerm> sumTerms(mlir::linalg::GenericOp reader, mlir::Value sums,
                                    llvm::function_ref<bool(mlir::BlockArgument)> isWanted);

} // namespace kgen
