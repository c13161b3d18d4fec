// Batched and batch-reduce contractions of linalg in their simplest form, with one order of loops.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/raise/ContractionLoops.h"
#include "transforms/raise/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_NORMALIZECONTRACTIONSPASS
#include "transforms/raise/Passes.h.inc"

namespace {

/// A batch dimension of size one, if there is any.
std::optional<unsigned> unitBatch(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto roles = linalg::inferContractionDims(op);
  if (succeeded(roles))
    for (unsigned dim : roles->batch)
      if (sizes[dim] == 1)
        return dim;
  return std::nullopt;
}

/// A reduction of size one beside another reduction, if there is any.
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

/// Replaces a B that is a linalg.broadcast by what is broadcast.
void skipBroadcast(linalg::GenericOp op) {
  OpOperand *b = op.getDpsInputOperand(1);
  auto broadcast = b->get().getDefiningOp<linalg::BroadcastOp>();
  if (!broadcast)
    return;
  AffineMap map = op.getMatchingIndexingMap(b);
  llvm::SmallBitVector added(map.getNumResults());
  for (int64_t dim : broadcast.getDimensions())
    added.set(dim);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[1] = map.dropResults(added);
  b->set(broadcast.getInput());
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Drops batches of size one and makes rows of batches that share their B.
linalg::GenericOp reduceBatches(IRRewriter &rewriter, linalg::GenericOp op) {
  while (auto dim = unitBatch(op))
    op = dropUnitLoop(rewriter, op, *dim);
  skipBroadcast(op);
  SmallVector<ReassociationIndices> groups = rowGroups(op);
  if (groups.empty())
    return op;
  rewriter.setInsertionPoint(op);
  auto collapsed = linalg::collapseOpIterationDims(op, groups, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return cast<linalg::GenericOp>(collapsed->collapsedOp);
}

/// The loops of `op` in the order (batch..., m, n, r, k), or nothing if it is no batch-reduce
/// contraction.
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
  // k is the reduction that is contiguous in A, or else in B; r is the other one.
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto last = [](AffineMap map) {
    return cast<AffineDimExpr>(map.getResults().back()).getPosition();
  };
  bool isInBoth = llvm::all_of(
      reductions, [&](unsigned dim) { return a.isFunctionOfDim(dim) && b.isFunctionOfDim(dim); });
  if (!isInBoth)
    return std::nullopt;
  if (last(a) == reductions[0] || (last(a) != reductions[1] && last(b) == reductions[0]))
    std::swap(reductions[0], reductions[1]);
  llvm::append_range(order, reductions);
  return order;
}

/// True if the loops are (m, n, r, k) and the operands [r, m, k], [r, k, n], [m, n] of one type, as
/// linalg.batch_reduce_matmul has them.
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

void nameBatchReduce(IRRewriter &rewriter, linalg::GenericOp op) {
  if (!hasNamedForm(op))
    return;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<linalg::BatchReduceMatmulOp>(op, op->getResultTypes(),
                                                           op.getDpsInputs(), op.getDpsInits());
}

/// Replaces the loops outside of (m, n, r, k) by a scf.forall around one batch-reduce contraction.
FailureOr<linalg::GenericOp> moveBatchToLoops(IRRewriter &rewriter, linalg::GenericOp op) {
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

struct NormalizeContractionsPass : impl::NormalizeContractionsPassBase<NormalizeContractionsPass> {
  using NormalizeContractionsPassBase::NormalizeContractionsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isStaticContraction(op) && hasBatchOrBlocks(op))
        contractions.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    DecisionLog log(getOperation(), getArgument());
    for (linalg::LinalgOp op : contractions) {
      Location loc = op.getLoc();
      if (failed(normalize(rewriter, op, log)))
        return signalPassFailure();
      log.add("applied", loc, log.details().set("what", "its loops are (batch, m, n, r, k)"));
      ++numNormalized;
    }
  }

private:
  /// True for contractions with more loops than (m, n, k), but for those that have their name.
  static bool hasBatchOrBlocks(linalg::LinalgOp op) {
    if (isa<linalg::BatchReduceMatmulOp>(*op))
      return unitReduction(op).has_value();
    return op.getNumParallelLoops() > 2 || op.getNumReductionLoops() > 1;
  }

  LogicalResult normalize(IRRewriter &rewriter, linalg::LinalgOp contraction, DecisionLog &log) {
    linalg::GenericOp op = asGeneric(rewriter, contraction);
    if (op.getNumParallelLoops() > 2)
      op = reduceBatches(rewriter, op);
    while (auto dim = unitReduction(op))
      op = dropUnitLoop(rewriter, op, *dim);
    std::optional<SmallVector<unsigned>> order = canonicalOrder(op);
    if (!order) {
      if (op.getNumReductionLoops() > 1) {
        log.add(
            "refused", op.getLoc(),
            log.details().set("why", "no batch-reduce contraction: m, n, r and k are not found"));
        ++numRefused;
      }
      nameContraction(rewriter, op);
      return success();
    }
    FailureOr<linalg::GenericOp> ordered = op;
    if (!llvm::is_sorted(*order))
      ordered = linalg::interchangeGenericOp(rewriter, op, *order);
    if (succeeded(ordered) && outerLoops)
      ordered = moveBatchToLoops(rewriter, *ordered);
    if (failed(ordered))
      return failure();
    nameBatchReduce(rewriter, *ordered);
    return success();
  }
};

} // namespace
} // namespace kgen
