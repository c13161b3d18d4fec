// The reduction of a contraction in blocks: what a batch-reduce micro-kernel computes in one go.
#include "transforms/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MATMULTOBATCHREDUCEPASS
#include "transforms/Passes.h.inc"

namespace {

/// `value` with dimension `dim` as two, the inner one of `block` elements.
Value split(RewriterBase &rewriter, Location loc, Value value, int64_t dim, int64_t block) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    int64_t next = shape.size();
    if (static_cast<int64_t>(d) != dim) {
      shape.push_back(size);
      groups.push_back({next});
      continue;
    }
    shape.append({size / block, block});
    groups.push_back({next, next + 1});
  }
  return tensor::ExpandShapeOp::create(
      rewriter, loc, RankedTensorType::get(shape, type.getElementType()), value, groups);
}

struct MatmulToBatchReducePass : impl::MatmulToBatchReducePassBase<MatmulToBatchReducePass> {
  using MatmulToBatchReducePassBase::MatmulToBatchReducePassBase;

  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    SmallVector<std::pair<linalg::LinalgOp, int64_t>> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isStaticContraction(op) || op.getNumReductionLoops() != 1)
        return;
      int64_t block = kBlock;
      if (block <= 0 && target)
        block = target.gemmTileSize(packKind(getElementTypeOrSelf(op.getDpsInputs()[0].getType())),
                                    "k", 0);
      SmallVector<unsigned> reductions;
      op.getReductionDims(reductions);
      int64_t k = op.getStaticLoopRanges()[reductions.front()];
      if (block > 0 && k > block && k % block == 0)
        found.emplace_back(op, block);
    });
    IRRewriter rewriter(&getContext());
    for (auto [op, block] : found) {
      linalg::GenericOp generic = asGeneric(rewriter, op);
      SmallVector<unsigned> reductions;
      generic.getReductionDims(reductions);
      splitReduction(rewriter, generic, reductions.front(), Inner::beside,
                     [&, size = block](Value value, int64_t dim) {
                       return split(rewriter, value.getLoc(), value, dim, size);
                     });
    }
  }
};

} // namespace
} // namespace kgen
