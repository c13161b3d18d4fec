// Rows of fewer elements than a vector has: a lane becomes a row.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"
#include "transforms/tiling/CacheTileSizes.h"
#include "transforms/vectorize/FlattenedRows.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TRANSPOSEINNERREDUCTIONSPASS
#include "transforms/Passes.h.inc"

namespace {

constexpr int64_t fewestRows = 1024;

/// How an operand lies in loops over rows and, innermost, their elements.
enum class Lie { whole, rows, elements, scalar, other };

Lie lieOf(AffineMap map) {
  unsigned loops = map.getNumDims();
  MLIRContext *context = map.getContext();
  if (map.isIdentity())
    return Lie::whole;
  if (map == AffineMap::getMultiDimIdentityMap(loops, context).dropResult(loops - 1))
    return Lie::rows;
  if (map.getNumResults() == 0)
    return Lie::scalar;
  if (map.getNumResults() == 1 && map.getResult(0) == getAffineDimExpr(loops - 1, context))
    return Lie::elements;
  return Lie::other;
}

/// Whether hardly any lane stays empty where so many rows are turned, as many at a time as there
/// are in a square.
bool fillSquares(int64_t rows) { return rows % square == 0 || rows >= 8 * square; }

/// Whether the rows of an operation can lie across: a sum over each of them, or something for each
/// element of a result of its own.
bool canTurn(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.getNumLoops() < 2 ||
      op.getNumReductionLoops() > 1)
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t rows = 1;
  for (int64_t size : ArrayRef(sizes).drop_back())
    rows *= size;
  if (llvm::any_of(sizes, ShapedType::isDynamic) || sizes.back() < 2 ||
      sizes.back() > maxTransposedRow || rows < fewestRows || !fillSquares(sizes[sizes.size() - 2]))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (lieOf(op.getMatchingIndexingMap(&operand)) == Lie::other || !element.isIntOrFloat() ||
        element.getIntOrFloatBitWidth() < 16)
      return false;
  }
  OpOperand *out = op.getDpsInitOperand(0);
  Lie lie = lieOf(op.getMatchingIndexingMap(out));
  if (op.getNumReductionLoops() == 1)
    return lie == Lie::rows && op.getIteratorTypesArray().back() == utils::IteratorType::reduction;
  return lie == Lie::whole && !op.payloadUsesValueFromOperand(out);
}

/// Whether rows would leave a good part of their vectors empty.
bool fillsVectorsBadly(linalg::GenericOp op, TargetAttr target) {
  int64_t lanes = std::max<int64_t>(target.getVectorBits() / widestBits(op), 1),
          row = op.getStaticLoopRanges().back();
  return row % lanes != 0 && 2 * row <= 3 * lanes;
}

/// Whether a chain does better with vectors that go from row to row (kgen-vectorize).
bool isBetterFlat(ArrayRef<linalg::GenericOp> chain, TargetAttr target) {
  constexpr int64_t bits = 32;
  if (hasRegistersForTiles(target))
    return false;
  auto isSum = [](linalg::GenericOp op) { return op.getNumReductionLoops() != 0; };
  return !llvm::all_of(chain, isSum) && llvm::all_of(chain, [&](linalg::GenericOp op) {
    return isSum(op) ? widestBits(op) == bits && !op.hasIndexSemantics() : canFlatten(op, target);
  });
}

/// Whether a chain is worth two transpositions; or a sum alone the first one, which stays in
/// registers and takes few shuffles then.
bool isWorthIt(ArrayRef<linalg::GenericOp> chain, TargetAttr target) {
  if (chain.size() > 1)
    return true;
  linalg::GenericOp sum = chain.front();
  int64_t row = sum.getStaticLoopRanges().back(), lanes = target.getVectorBits() / widestBits(sum);
  return hasRegistersForTiles(target) ? 3 * row <= 2 * lanes
                                      : row <= (target.hasFeature("avx2") ? 3 : 2);
}

struct TransposeInnerReductionsPass
    : impl::TransposeInnerReductionsPassBase<TransposeInnerReductionsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<SmallVector<int64_t>> shapes;
    for (auto op : getOperation().getBody().front().getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() == 1 && canTurn(op) && fillsVectorsBadly(op, target) &&
          !llvm::is_contained(shapes, op.getStaticLoopRanges()))
        shapes.push_back(op.getStaticLoopRanges());
    for (ArrayRef<int64_t> shape : shapes)
      if (SmallVector<linalg::GenericOp> chain = chainOf(shape);
          isWorthIt(chain, target) && !isBetterFlat(chain, target))
        turn(chain);
  }

private:
  /// Sums of rows of a shape, and what is computed from them for each element of the same tensors.
  SmallVector<linalg::GenericOp> chainOf(ArrayRef<int64_t> shape) {
    SmallVector<linalg::GenericOp> chain;
    llvm::SmallDenseSet<Operation *> depends;
    llvm::SmallDenseSet<Value> across;
    for (auto op : getOperation().getBody().front().getOps<linalg::GenericOp>()) {
      bool isOfShape = ArrayRef(op.getStaticLoopRanges()) == shape && canTurn(op);
      bool isSum = isOfShape && op.getNumReductionLoops() == 1;
      bool reads = llvm::any_of(op.getOperands(), [&](Value operand) {
        return depends.contains(operand.getDefiningOp());
      });
      if (isSum || reads)
        depends.insert(op);
      bool isOfSameTensors = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        return lieOf(op.getMatchingIndexingMap(input)) != Lie::whole ||
               across.contains(input->get());
      });
      if (!isSum && !(isOfShape && reads && isOfSameTensors))
        continue;
      chain.push_back(op);
      across.insert(op.getResult(0));
      for (OpOperand *input : op.getDpsInputOperands())
        if (lieOf(op.getMatchingIndexingMap(input)) == Lie::whole)
          across.insert(input->get());
    }
    return chain;
  }

  static void turn(ArrayRef<linalg::GenericOp> chain) {
    IRMapping turned;
    IRRewriter rewriter(chain.front());
    for (linalg::GenericOp op : chain)
      turn(rewriter, op, turned);
    for (linalg::GenericOp op : llvm::reverse(chain)) {
      Value result = op.getResult(0);
      if (Value across = turned.lookupOrNull(result)) {
        auto isOutside = [&](OpOperand &use) { return !llvm::is_contained(chain, use.getOwner()); };
        if (llvm::any_of(result.getUses(), isOutside)) {
          rewriter.setInsertionPointAfterValue(across);
          Value back = transposed(rewriter, op.getLoc(), across, /*forth=*/false);
          rewriter.replaceUsesWithIf(result, back, isOutside);
        }
      }
      rewriter.eraseOp(op);
    }
  }

  /// With the elements of rows as the outermost dimension, or as the innermost one again.
  static Value transposed(OpBuilder &b, Location loc, Value value, bool forth) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t rank = type.getRank();
    if (forth)
      std::rotate(shape.begin(), shape.end() - 1, shape.end());
    else
      std::rotate(shape.begin(), shape.begin() + 1, shape.end());
    SmallVector<int64_t> from;
    for (int64_t d = 0; d < rank; ++d)
      from.push_back((forth ? d + rank - 1 : d + 1) % rank);
    Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
    return linalg::TransposeOp::create(b, loc, value, empty, from)->getResult(0);
  }

  static void turn(IRRewriter &rewriter, linalg::GenericOp op, IRMapping &turned) {
    rewriter.setInsertionPoint(op);
    unsigned loops = op.getNumLoops();
    SmallVector<AffineExpr> moved;
    for (unsigned d = 0; d < loops; ++d)
      moved.push_back(rewriter.getAffineDimExpr((d + 1) % loops));
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      AffineMap map = op.getMatchingIndexingMap(&operand);
      maps.push_back(map.replaceDimsAndSymbols(moved, {}, loops, 0));
      if (lieOf(map) == Lie::whole) {
        maps.back() = map;
        if (op.isDpsInit(&operand)) {
          SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
          std::rotate(shape.begin(), shape.end() - 1, shape.end());
          value = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                          getElementTypeOrSelf(value.getType()));
        } else {
          if (!turned.contains(value))
            turned.map(value, transposed(rewriter, op.getLoc(), value, /*forth=*/true));
          value = turned.lookup(value);
        }
      }
      operands.push_back(value);
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    std::rotate(iterators.begin(), iterators.end() - 1, iterators.end());
    auto across =
        linalg::GenericOp::create(rewriter, op.getLoc(), operands.back().getType(),
                                  ArrayRef(operands).drop_back(), operands.back(), maps, iterators);
    rewriter.cloneRegionBefore(op.getRegion(), across.getRegion(), across.getRegion().begin());
    for (auto index : across.getBody()->getOps<linalg::IndexOp>())
      index.setDim((index.getDim() + 1) % loops);
    if (op.getNumReductionLoops() == 0)
      turned.map(op.getResult(0), across.getResult(0));
    else
      rewriter.replaceAllUsesWith(op.getResult(0), across.getResult(0));
  }
};

} // namespace
} // namespace kgen
