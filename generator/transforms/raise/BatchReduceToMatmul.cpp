// A batch reduction over one element is a matrix product.
#include "transforms/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_BATCHREDUCETOMATMULPASS
#include "transforms/Passes.h.inc"

namespace {

/// A reduction of one step beside another one, if there is any.
std::optional<unsigned> unitReduction(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (reductions.size() > 1)
    for (unsigned dim : reductions)
      if (sizes[dim] == 1)
        return dim;
  return std::nullopt;
}

struct BatchReduceToMatmulPass : impl::BatchReduceToMatmulPassBase<BatchReduceToMatmulPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isStaticContraction(op) && unitReduction(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp contraction : contractions) {
      linalg::GenericOp op = asGeneric(rewriter, contraction);
      while (auto dim = unitReduction(op))
        op = dropUnitLoop(rewriter, op, *dim);
      nameContraction(rewriter, op);
    }
  }
};

} // namespace
} // namespace kgen
