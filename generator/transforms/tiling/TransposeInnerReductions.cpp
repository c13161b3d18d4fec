#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/tiling/ReshapeReductions.h"

#include "analysis/AccessPattern.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/tiling/CacheTileSizes.h"
#include "transforms/vectorize/UnrolledTiles.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

/// True if transpose blocks are nearly full: the rows are a multiple of a block, or at least eight
/// blocks.
bool fillBlocks(int64_t rows) { return rows % transposeBlock == 0 || rows >= 8 * transposeBlock; }

/// True if `op` can be transposed: a reduction over the innermost loop, or an elementwise operation
/// with a result of the full shape.
bool canTranspose(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.getNumLoops() < 2 ||
      op.getNumReductionLoops() > 1)
    return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return false;
  int64_t rows = 1;
  for (int64_t size : ArrayRef(sizes).drop_back())
    rows *= size;
  if (sizes.back() < 2 || sizes.back() > maxTransposedRow ||
      rows < cpuOf(op).heuristics.minTransposedRows || !fillBlocks(sizes[sizes.size() - 2]))
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (AccessPattern(op, operand).broadcastKind() == BroadcastKind::other ||
        !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 16)
      return false;
  }
  OpOperand *out = op.getDpsInitOperand(0);
  BroadcastKind kind = AccessPattern(op, *out).broadcastKind();
  if (op.getNumReductionLoops() == 1)
    return kind == BroadcastKind::perRow &&
           op.getIteratorTypesArray().back() == utils::IteratorType::reduction;
  return kind == BroadcastKind::none && !op.payloadUsesValueFromOperand(out);
}

/// True if a row leaves a large share of its vectors' lanes empty.
bool leavesLanesEmpty(linalg::GenericOp op, TargetAttr target) {
  int64_t lanes = std::max<int64_t>(target.getVectorBits() / widestBits(op), 1),
          row = op.getStaticLoopRanges().back();
  return row % lanes != 0 && 2 * row <= 3 * lanes;
}

/// True if kgen-vectorize does better with the elementwise operations of the chain as flattened
/// rows.
bool isBetterFlattened(ArrayRef<linalg::GenericOp> chain, TargetAttr target) {
  constexpr int64_t bits = 32;
  if (hasRegistersForTiles(target))
    return false;
  auto isReduction = [](linalg::GenericOp op) { return op.getNumReductionLoops() != 0; };
  return !llvm::all_of(chain, isReduction) && llvm::all_of(chain, [&](linalg::GenericOp op) {
    return isReduction(op) ? widestBits(op) == bits && !op.hasIndexSemantics()
                           : bool(flattenedRows().matchRows(op, target, storesOf(op, target)).plan);
  });
}

/// True if the chain is worth two transposes, or a single reduction is worth one, which stays in
/// registers and needs few shuffles.
bool isWorthTransposing(ArrayRef<linalg::GenericOp> chain, TargetAttr target) {
  if (chain.size() > 1)
    return true;
  linalg::GenericOp reduction = chain.front();
  int64_t row = reduction.getStaticLoopRanges().back(),
          lanes = target.getVectorBits() / widestBits(reduction);
  return hasRegistersForTiles(target) ? 3 * row <= 2 * lanes
                                      : row <= (target.cpu().hasRegisterGather ? 3 : 2);
}

class InnerReductionTransposer {
public:
  InnerReductionTransposer(func::FuncOp function, TargetAttr target, DecisionLog &log)
      : function(function), target(target), log(log) {}

  RewriteCounts run() {
    SmallVector<SmallVector<int64_t>> shapes;
    for (auto op : function.getBody().front().getOps<linalg::GenericOp>())
      if (op.getNumReductionLoops() == 1 && canTranspose(op) && leavesLanesEmpty(op, target) &&
          !llvm::is_contained(shapes, op.getStaticLoopRanges()))
        shapes.push_back(op.getStaticLoopRanges());
    for (ArrayRef<int64_t> shape : shapes) {
      SmallVector<linalg::GenericOp> chain = chainOf(shape);
      if (!isWorthTransposing(chain, target))
        refuse(chain, "a reduction alone of such rows is not worth a transpose");
      else if (isBetterFlattened(chain, target))
        refuse(chain, "vectors of flattened rows are as full");
      else
        transpose(chain);
    }
    return counts;
  }

private:
  static Location locationOf(ArrayRef<linalg::GenericOp> chain) {
    SmallVector<Location> locations;
    for (linalg::GenericOp op : chain)
      locations.push_back(op.getLoc());
    return FusedLoc::get(locations.front().getContext(), locations);
  }

  void refuse(ArrayRef<linalg::GenericOp> chain, StringRef why) {
    ++counts.refused;
    log.add("refused", locationOf(chain), log.details().set("why", why));
  }

  void transpose(ArrayRef<linalg::GenericOp> chain) {
    ++counts.rewritten;
    log.add("applied", locationOf(chain),
            log.details().set("what", "short rows transposed: one row per lane"));
    transposeChain(chain);
  }

  /// Collects the row reductions of a shape and the elementwise operations on the same tensors that
  /// read their results.
  SmallVector<linalg::GenericOp> chainOf(ArrayRef<int64_t> shape) {
    SmallVector<linalg::GenericOp> chain;
    llvm::SmallDenseSet<Operation *> depends;
    llvm::SmallDenseSet<Value> tensors;
    for (auto op : function.getBody().front().getOps<linalg::GenericOp>()) {
      bool isOfShape = ArrayRef(op.getStaticLoopRanges()) == shape && canTranspose(op);
      bool isReduction = isOfShape && op.getNumReductionLoops() == 1;
      bool reads = llvm::any_of(op.getOperands(), [&](Value operand) {
        return depends.contains(operand.getDefiningOp());
      });
      if (isReduction || reads)
        depends.insert(op);
      bool isOfSameTensors = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        return !AccessPattern(op, *input).isFull() || tensors.contains(input->get());
      });
      if (!isReduction && !(isOfShape && reads && isOfSameTensors))
        continue;
      chain.push_back(op);
      tensors.insert(op.getResult(0));
      for (OpOperand *input : op.getDpsInputOperands())
        if (AccessPattern(op, *input).isFull())
          tensors.insert(input->get());
    }
    return chain;
  }

  static void transposeChain(ArrayRef<linalg::GenericOp> chain) {
    IRMapping transposed;
    IRRewriter rewriter(chain.front());
    for (linalg::GenericOp op : chain)
      transposeOperation(rewriter, op, transposed);
    for (linalg::GenericOp op : llvm::reverse(chain)) {
      Value result = op.getResult(0);
      if (Value rotated = transposed.lookupOrNull(result)) {
        auto isOutside = [&](OpOperand &use) { return !llvm::is_contained(chain, use.getOwner()); };
        if (llvm::any_of(result.getUses(), isOutside)) {
          rewriter.setInsertionPointAfterValue(rotated);
          Value original = createTranspose(rewriter, op.getLoc(), rotated, /*toOuter=*/false);
          rewriter.replaceUsesWithIf(result, original, isOutside);
        }
      }
      rewriter.eraseOp(op);
    }
  }

  /// Transposes `value` so that its innermost dimension becomes the outermost one, or back.
  static Value createTranspose(OpBuilder &b, Location loc, Value value, bool toOuter) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    int64_t rank = type.getRank();
    if (toOuter)
      std::rotate(shape.begin(), shape.end() - 1, shape.end());
    else
      std::rotate(shape.begin(), shape.begin() + 1, shape.end());
    SmallVector<int64_t> from;
    for (int64_t d = 0; d < rank; ++d)
      from.push_back((toOuter ? d + rank - 1 : d + 1) % rank);
    Value empty = emptyTensor(b, loc, shape, type.getElementType());
    return linalg::TransposeOp::create(b, loc, value, empty, from)->getResult(0);
  }

  static void transposeOperation(IRRewriter &rewriter, linalg::GenericOp op,
                                 IRMapping &transposed) {
    rewriter.setInsertionPoint(op);
    unsigned loops = op.getNumLoops();
    SmallVector<AffineExpr> rotated;
    for (unsigned d = 0; d < loops; ++d)
      rotated.push_back(rewriter.getAffineDimExpr((d + 1) % loops));
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      AffineMap map = op.getMatchingIndexingMap(&operand);
      maps.push_back(map.replaceDimsAndSymbols(rotated, {}, loops, 0));
      if (AccessPattern(map).isFull()) {
        maps.back() = map;
        if (op.isDpsInit(&operand)) {
          SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
          std::rotate(shape.begin(), shape.end() - 1, shape.end());
          value = emptyTensor(rewriter, op.getLoc(), shape, getElementTypeOrSelf(value.getType()));
        } else {
          if (!transposed.contains(value))
            transposed.map(value, createTranspose(rewriter, op.getLoc(), value, /*toOuter=*/true));
          value = transposed.lookup(value);
        }
      }
      operands.push_back(value);
    }
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    std::rotate(iterators.begin(), iterators.end() - 1, iterators.end());
    auto vertical =
        linalg::GenericOp::create(rewriter, op.getLoc(), operands.back().getType(),
                                  ArrayRef(operands).drop_back(), operands.back(), maps, iterators);
    rewriter.cloneRegionBefore(op.getRegion(), vertical.getRegion(), vertical.getRegion().begin());
    for (auto index : vertical.getBody()->getOps<linalg::IndexOp>())
      index.setDim((index.getDim() + 1) % loops);
    if (op.getNumReductionLoops() == 0)
      transposed.map(op.getResult(0), vertical.getResult(0));
    else
      rewriter.replaceAllUsesWith(op.getResult(0), vertical.getResult(0));
  }

  func::FuncOp function;
  TargetAttr target;
  DecisionLog &log;
  RewriteCounts counts;
};

} // namespace

RewriteCounts transposeInnerReductions(func::FuncOp function, TargetAttr target, DecisionLog &log) {
  return InnerReductionTransposer(function, target, log).run();
}

} // namespace kgen
