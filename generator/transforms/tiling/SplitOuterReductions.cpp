#include "transforms/tiling/ReshapeReductions.h"

#include "analysis/AccessPattern.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
namespace {

/// Split of one loop of a set of operations: the `reduced` loop becomes a loop over groups of
/// `factor` rows, and one within a group.
struct OuterSplit {
  SmallVector<int64_t> sizes; ///< of the loops
  unsigned reduced;
  int64_t factor;

  SmallVector<ReassociationIndices> reassociation() const {
    SmallVector<ReassociationIndices> groups;
    for (int64_t loop = 0, next = 0, rank = sizes.size(); loop < rank; ++loop) {
      groups.push_back({next++});
      if (loop == reduced)
        groups.back().push_back(next++);
    }
    return groups;
  }

  SmallVector<int64_t> shape() const {
    SmallVector<int64_t> result(sizes);
    result[reduced] /= factor;
    result.insert(result.begin() + reduced + 1, factor);
    return result;
  }
};

/// Returns the number of rows per group that fills vectors best; 1 if no group is worth it. The
/// cost per element is 1 in full vectors, more by the share of empty lanes, and more by 1 / groups
/// for what has to be done once per row of a group. `isReadOnce`: the rows are read by one
/// reduction alone, which waits for memory: the gain has to be a whole vector per vector.
int64_t splitFactor(const Cpu &cpu, int64_t rows, int64_t elements, int64_t width,
                    bool isReadOnce) {
  const double minGain = isReadOnce ? 1 : 0.1; // in costs per element
  int64_t lanes = cpu.lineBytes / width, best = 1;
  auto cost = [&](int64_t factor) {
    double run = factor * elements;
    return llvm::alignTo(factor * elements, lanes) / run + (factor > 1 ? double(factor) / rows : 0);
  };
  for (int64_t factor = 2; factor <= std::min(lanes, rows / cpu.heuristics.minReductionGroups);
       ++factor)
    if (rows % factor == 0 && cost(factor) < cost(best))
      best = factor;
  return cost(best) + minGain < cost(1) ? best : 1;
}

AffineMap rowMap(unsigned loops, unsigned reduced, MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(loops, context).dropResult(reduced);
}

/// True if each operand is a whole tensor, one row that is broadcast along the reduced loop, or a
/// scalar.
bool hasOnlyRows(linalg::GenericOp op, unsigned reduced) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Type element = getElementTypeOrSelf(operand.get().getType());
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 &&
           (map.isIdentity() || map.getNumResults() == 0 ||
            AccessPattern(map).isBroadcastAlongOnly(reduced));
  });
}

bool isPlain(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 && !op.hasDynamicShape() &&
         !op.hasIndexSemantics() && op.getRegion().getOps<tensor::ExtractOp>().empty();
}

/// Splits the outer reductions of a function, and what is computed on tensors of the same shape.
class OuterReductionSplitter {
public:
  OuterReductionSplitter(func::FuncOp function, DecisionLog &log)
      : function(function), log(log), rewriter(function.getContext()) {}

  RewriteCounts run() {
    SmallVector<linalg::GenericOp> candidates;
    for (auto op : function.getBody().front().getOps<linalg::GenericOp>())
      if (isPlain(op))
        candidates.push_back(op);
    for (const OuterSplit &split : chooseSplits(candidates)) {
      rows.clear();
      for (linalg::GenericOp &op : candidates)
        if (op && split.sizes == op.getStaticLoopRanges() && hasOnlyRows(op, split.reduced)) {
          Location loc = op.getLoc();
          if (!splitOperation(rewriter, op, split)) {
            refuse(loc, "the split rows would have to be put together for it");
            continue;
          }
          op = {};
          ++counts.rewritten;
          log.add("applied", loc,
                  log.details().set("what", std::to_string(split.factor) +
                                                " rows as one, to fill vectors"));
        }
    }
    return counts;
  }

private:
  SmallVector<OuterSplit> chooseSplits(ArrayRef<linalg::GenericOp> candidates) {
    SmallVector<OuterSplit> splits;
    for (linalg::GenericOp op : candidates) {
      bool isReadOnce = llvm::none_of(candidates, [&](linalg::GenericOp other) {
        return other.getNumReductionLoops() == 0 &&
               other.getStaticLoopRanges() == op.getStaticLoopRanges();
      });
      auto isOfOp = [&](const OuterSplit &split) {
        return split.sizes == op.getStaticLoopRanges();
      };
      std::optional<OuterSplit> split = splitOf(op, isReadOnce);
      if (split && llvm::none_of(splits, isOfOp))
        splits.push_back(*split);
    }
    return splits;
  }

  void refuse(Location loc, StringRef why) {
    ++counts.refused;
    log.add("refused", loc, log.details().set("why", why));
  }

  std::optional<OuterSplit> splitOf(linalg::GenericOp op, bool isReadOnce) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    if (loops.size() != 1 || loops.front() + 1 == sizes.size() || !hasOnlyRows(op, loops.front()))
      return std::nullopt;
    unsigned reduced = loops.front();
    int64_t elements = 1, width = 1;
    for (int64_t size : ArrayRef(sizes).drop_front(reduced + 1))
      elements *= size;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingIndexingMap(input).isIdentity())
        width = std::max(width, bytesOfElement(input->get().getType()));
    int64_t factor =
        elements > 1 ? splitFactor(cpuOf(op), sizes[reduced], elements, width, isReadOnce) : 1;
    if (factor > 1)
      return OuterSplit{sizes, reduced, factor};
    if (int64_t lanes = cpuOf(op).lineBytes / width; elements > 1 && elements % lanes != 0)
      refuse(op.getLoc(), "no number of rows fills vectors so much better");
    return std::nullopt;
  }

  /// Splits one operation; false if that is not possible.
  bool splitOperation(IRRewriter &b, linalg::GenericOp op, const OuterSplit &split) {
    b.setInsertionPoint(op);
    if (op.getNumReductionLoops() == 0)
      return splitElementwise(b, op, split);
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    if (loops != ArrayRef<unsigned>{split.reduced})
      return false;
    // All groups are reduced to one group, and the rows of that to one row.
    Value start = initialValueOfExtremum(op);
    auto partial = linalg::splitReduction(b, op, [&](linalg::LinalgOp) {
      return linalg::SplitReductionOptions{split.factor, split.reduced, /*innerParallel=*/true};
    });
    if (failed(partial))
      return false;
    if (start)
      partial->fillOp.getInputsMutable().assign(start);
    auto first = cast<linalg::GenericOp>(partial->splitLinalgOp);
    b.setInsertionPoint(first);
    SmallVector<AffineMap> maps = first.getIndexingMapsArray();
    AffineMap kept = rowMap(split.sizes.size() + 1, split.reduced, b.getContext());
    for (OpOperand *input : first.getDpsInputOperands()) {
      AffineMap &map = maps[input->getOperandNumber()];
      if (map.getNumResults() + 1 == kept.getNumResults() && map.getNumResults() > 0) {
        map = kept;
        input->set(repeatRow(b, input->get(), split));
      }
    }
    first.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    return true;
  }

  /// Returns the initial value for the partial results of a maxnum or minnum reduction, whose
  /// neutral element is a NaN that native instructions do not ignore: the initial value of the
  /// whole reduction. Null for other reductions.
  static Value initialValueOfExtremum(linalg::GenericOp op) {
    SmallVector<Operation *> combiners;
    if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1 ||
        !isa<arith::MaxNumFOp, arith::MinNumFOp>(combiners.front()))
      return {};
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::GenericOp>();
    if (!fill || fill.getNumDpsInputs() != 0)
      return {};
    Value start = fill.getBody()->getTerminator()->getOperand(0);
    return start.getParentBlock() == fill.getBody() ? Value() : start;
  }

  bool splitElementwise(IRRewriter &b, linalg::GenericOp op, const OuterSplit &split) {
    OpOperand *out = op.getDpsInitOperand(0);
    if (!op.getMatchingIndexingMap(out).isIdentity() || op.payloadUsesValueFromOperand(out))
      return false;
    Location loc = op.getLoc();
    unsigned loops = op.getNumLoops() + 1;
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (map.isIdentity()) {
        operands.push_back(&operand == out
                               ? emptyTensor(b, loc, split.shape(), getElementTypeOrSelf(value))
                               : expand(b, value, split));
        maps.push_back(b.getMultiDimIdentityMap(loops));
      } else if (map.getNumResults() == 0) {
        operands.push_back(value);
        maps.push_back(AffineMap::get(loops, 0, b.getContext()));
      } else {
        operands.push_back(repeatRow(b, value, split));
        maps.push_back(rowMap(loops, split.reduced, b.getContext()));
      }
    }
    SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
    auto splitOp =
        linalg::GenericOp::create(b, loc, operands.back().getType(), ArrayRef(operands).drop_back(),
                                  operands.back(), maps, iterators);
    b.inlineRegionBefore(op.getRegion(), splitOp.getRegion(), splitOp.getRegion().begin());
    writeThroughView(b, op, splitOp.getResult(0), split);
    Value collapsed = tensor::CollapseShapeOp::create(b, loc, op->getResult(0).getType(),
                                                      splitOp.getResult(0), split.reassociation());
    b.replaceOp(op, collapsed);
    return true;
  }

  /// Writes the split result into the caller's memory through a view, so that no copy is needed.
  static void writeThroughView(IRRewriter &b, linalg::GenericOp op, Value splitResult,
                               const OuterSplit &split) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
      if (!write || !isa<MemRefType>(write.getDest().getType()))
        continue;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(write);
      Value view = memref::ExpandShapeOp::create(b, write.getLoc(), split.shape(), write.getDest(),
                                                 split.reassociation());
      b.modifyOpInPlace(write, [&] {
        write.getSourceMutable().assign(splitResult);
        write.getDestMutable().assign(view);
      });
    }
  }

  static Value expand(IRRewriter &b, Value value, const OuterSplit &split) {
    auto type = cast<RankedTensorType>(value.getType()).clone(split.shape());
    if (auto view = value.getDefiningOp<tensor::CollapseShapeOp>();
        view && view.getSrcType() == type)
      return view.getSrc();
    return tensor::ExpandShapeOp::create(b, value.getLoc(), type, value, split.reassociation());
  }

  /// Repeats a row once for each row of a group.
  Value repeatRow(IRRewriter &b, Value row, const OuterSplit &split) {
    Value &known = rows[row];
    if (known)
      return known;
    auto type = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + split.reduced, split.factor);
    Value out = emptyTensor(b, row.getLoc(), shape, type.getElementType());
    AffineMap all = b.getMultiDimIdentityMap(shape.size());
    SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
    known = linalg::GenericOp::create(b, row.getLoc(), out.getType(), row, out,
                                      {all.dropResult(split.reduced), all}, loops,
                                      [](OpBuilder &inside, Location loc, ValueRange elements) {
                                        linalg::YieldOp::create(inside, loc, elements.front());
                                      })
                .getResult(0);
    return known;
  }

  func::FuncOp function;
  DecisionLog &log;
  IRRewriter rewriter;
  RewriteCounts counts;
  llvm::SmallDenseMap<Value, Value> rows; ///< from a row to the tensor that repeats it
};

} // namespace

RewriteCounts splitOuterReductions(func::FuncOp function, DecisionLog &log) {
  return OuterReductionSplitter(function, log).run();
}

} // namespace kgen
