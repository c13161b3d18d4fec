// Contractions over two reductions, in the one form that batch-reduce micro-kernels have.
#include "transforms/Passes.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_RECOGNIZEBATCHREDUCEPASS
#include "transforms/Passes.h.inc"

namespace {

/// The loops of `op` in the order (batch..., m, n, r, k), or nothing if it has another structure.
std::optional<SmallVector<unsigned>> canonicalOrder(linalg::LinalgOp op) {
  AffineMap a = op.getIndexingMapsArray()[0], b = op.getIndexingMapsArray()[1],
            c = op.getIndexingMapsArray()[2];
  if (op.getNumReductionLoops() != 2 || c.getNumResults() < 2 ||
      c.getNumResults() != op.getNumParallelLoops())
    return std::nullopt;
  SmallVector<unsigned> order;
  for (AffineExpr result : c.getResults())
    order.push_back(cast<AffineDimExpr>(result).getPosition());
  unsigned m = order[order.size() - 2], n = order.back();
  if (!a.isFunctionOfDim(m) || b.isFunctionOfDim(m) || !b.isFunctionOfDim(n) ||
      a.isFunctionOfDim(n))
    return std::nullopt;
  // k is the reduction whose elements are next to each other in A, or else in B; r is the other
  // one.
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto last = [](AffineMap map) {
    return cast<AffineDimExpr>(map.getResults().back()).getPosition();
  };
  bool used = llvm::all_of(
      reductions, [&](unsigned dim) { return a.isFunctionOfDim(dim) && b.isFunctionOfDim(dim); });
  if (!used)
    return std::nullopt;
  if (last(a) == reductions[0] || (last(a) != reductions[1] && last(b) == reductions[0]))
    std::swap(reductions[0], reductions[1]);
  llvm::append_range(order, reductions);
  return order;
}

/// Whether the loops are (m, n, r, k) and the operands [r, m, k], [r, k, n], [m, n] of one type, as
/// linalg.batch_reduce_matmul wants them.
bool hasNamedForm(linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  auto map = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(4, dims, context);
  };
  SmallVector<AffineMap> named{map({2, 0, 3}), map({2, 3, 1}), map({0, 1})};
  auto operations = op.getBody()->without_terminator();
  return op.getIndexingMapsArray() == named && llvm::range_size(operations) == 2 &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           return getElementTypeOrSelf(type) == getElementTypeOrSelf(op.getResult(0));
         });
}

void giveName(IRRewriter &rewriter, linalg::GenericOp op) {
  if (!hasNamedForm(op))
    return;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<linalg::BatchReduceMatmulOp>(op, op->getResultTypes(),
                                                           op.getDpsInputs(), op.getDpsInits());
}

/// Everything outside of (m, n, r, k) becomes a loop around one batch reduction.
FailureOr<linalg::GenericOp> putInLoops(IRRewriter &rewriter, linalg::GenericOp op) {
  unsigned outer = op.getNumLoops() - 4;
  if (outer == 0)
    return op;
  SmallVector<int64_t> tile(op.getNumLoops(), 0);
  std::fill_n(tile.begin(), outer, 1);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), tile));
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  rewriter.setInsertionPoint(op);
  auto tiled = scf::tileUsingSCF(rewriter, cast<TilingInterface>(*op), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(op, tiled->replacements);
  auto inner = cast<linalg::GenericOp>(tiled->tiledOps.front());
  for (unsigned i = 0; i < outer; ++i)
    inner = dropUnitLoop(rewriter, inner, 0);
  return inner;
}

struct RecognizeBatchReducePass : impl::RecognizeBatchReducePassBase<RecognizeBatchReducePass> {
  using RecognizeBatchReducePassBase::RecognizeBatchReducePassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isStaticContraction(op) && !isa<linalg::BatchReduceMatmulOp>(*op) && canonicalOrder(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp contraction : contractions) {
      SmallVector<unsigned> order = *canonicalOrder(contraction);
      FailureOr<linalg::GenericOp> op = asGeneric(rewriter, contraction);
      if (!llvm::is_sorted(order))
        op = linalg::interchangeGenericOp(rewriter, *op, order);
      if (succeeded(op) && outerLoops)
        op = putInLoops(rewriter, *op);
      if (failed(op))
        return signalPassFailure();
      giveName(rewriter, *op);
    }
  }
};

} // namespace
} // namespace kgen
