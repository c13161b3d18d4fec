// Several short rows as one, where rows are reduced across.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_SPLITOUTERREDUCTIONSPASS
#include "transforms/Passes.h.inc"

namespace {

/// What is cut out of the loops of operations: `across` becomes one loop over groups of `joined`
/// rows each, and one within them.
struct Joint {
  SmallVector<int64_t> sizes; ///< of the loops
  unsigned across;
  int64_t joined;

  SmallVector<ReassociationIndices> reassociation() const {
    SmallVector<ReassociationIndices> groups;
    for (int64_t loop = 0, next = 0, rank = sizes.size(); loop < rank; ++loop) {
      groups.push_back({next++});
      if (loop == across)
        groups.back().push_back(next++);
    }
    return groups;
  }

  SmallVector<int64_t> shape() const {
    SmallVector<int64_t> result(sizes);
    result[across] /= joined;
    result.insert(result.begin() + across + 1, joined);
    return result;
  }
};

/// As many rows as fill vectors best; 1 if they do already, or if joined rows would be so few that
/// what has to be done for each of them, beside what is done for all elements, takes as long. Where
/// they are only read, and that once, memory hides most of what it would save.
int64_t rowsToJoin(int64_t rows, int64_t elements, int64_t width, bool areReadOnce) {
  constexpr int64_t fewest = 4;
  const double worthIt = areReadOnce ? 1 : 0.1;
  int64_t lanes = lineBytes / width, best = 1;
  auto timeOf = [&](int64_t joined) {
    double run = joined * elements;
    return llvm::alignTo(joined * elements, lanes) / run + (joined > 1 ? double(joined) / rows : 0);
  };
  for (int64_t joined = 2; joined <= std::min(lanes, rows / fewest); ++joined)
    if (rows % joined == 0 && timeOf(joined) < timeOf(best))
      best = joined;
  return timeOf(best) + worthIt < timeOf(1) ? best : 1;
}

AffineMap mapOfRows(unsigned loops, unsigned across, MLIRContext *context) {
  return AffineMap::getMultiDimIdentityMap(loops, context).dropResult(across);
}

/// Whether every operand is a whole tensor, one row for all that are reduced to it, or a scalar.
bool hasRowsOnly(linalg::GenericOp op, unsigned across) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Type element = getElementTypeOrSelf(operand.get().getType());
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 &&
           (map.isIdentity() || map.getNumResults() == 0 ||
            map == mapOfRows(op.getNumLoops(), across, op.getContext()));
  });
}

bool isPlain(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 && !op.hasDynamicShape() &&
         !op.hasIndexSemantics() && op.getRegion().getOps<tensor::ExtractOp>().empty();
}

struct SplitOuterReductionsPass : impl::SplitOuterReductionsPassBase<SplitOuterReductionsPass> {
  void runOnOperation() override {
    auto isJoined = [&](linalg::GenericOp op) {
      return llvm::any_of(
          joints, [&](const Joint &joint) { return joint.sizes == op.getStaticLoopRanges(); });
    };
    SmallVector<linalg::GenericOp> candidates;
    for (auto op : getOperation().getBody().front().getOps<linalg::GenericOp>())
      if (isPlain(op))
        candidates.push_back(op);
    for (linalg::GenericOp op : candidates) {
      bool areReadOnce = llvm::none_of(candidates, [&](linalg::GenericOp other) {
        return other.getNumReductionLoops() == 0 &&
               other.getStaticLoopRanges() == op.getStaticLoopRanges();
      });
      if (std::optional<Joint> joint = jointOf(op, areReadOnce); joint && !isJoined(op))
        joints.push_back(*joint);
    }
    IRRewriter rewriter(&getContext());
    for (const Joint &joint : joints) {
      rows.clear();
      for (linalg::GenericOp &op : candidates)
        if (op && joint.sizes == op.getStaticLoopRanges() && hasRowsOnly(op, joint.across) &&
            join(rewriter, op, joint))
          op = {};
    }
    joints.clear();
    rows.clear();
  }

private:
  static std::optional<Joint> jointOf(linalg::GenericOp op, bool areReadOnce) {
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    if (loops.size() != 1 || loops.front() + 1 == sizes.size() || !hasRowsOnly(op, loops.front()))
      return std::nullopt;
    unsigned across = loops.front();
    int64_t elements = 1, width = 1;
    for (int64_t size : ArrayRef(sizes).drop_front(across + 1))
      elements *= size;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.getMatchingIndexingMap(input).isIdentity())
        width = std::max(width, bytesOfElement(input->get().getType()));
    int64_t joined = elements > 1 ? rowsToJoin(sizes[across], elements, width, areReadOnce) : 1;
    return joined > 1 ? std::optional(Joint{sizes, across, joined}) : std::nullopt;
  }

  /// Replaces an operation; false if that is not possible.
  bool join(IRRewriter &b, linalg::GenericOp op, const Joint &joint) {
    b.setInsertionPoint(op);
    if (op.getNumReductionLoops() == 0)
      return joinElements(b, op, joint);
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    if (loops != ArrayRef<unsigned>{joint.across})
      return false;
    // The joined rows are reduced to one of them first, and that to its parts.
    Value start = startOfExtremum(op);
    auto split = linalg::splitReduction(b, op, [&](linalg::LinalgOp) {
      return linalg::SplitReductionOptions{joint.joined, joint.across, /*innerParallel=*/true};
    });
    if (failed(split))
      return false;
    if (start)
      split->fillOp.getInputsMutable().assign(start);
    auto first = cast<linalg::GenericOp>(split->splitLinalgOp);
    b.setInsertionPoint(first);
    SmallVector<AffineMap> maps = first.getIndexingMapsArray();
    AffineMap kept = mapOfRows(joint.sizes.size() + 1, joint.across, b.getContext());
    for (OpOperand *input : first.getDpsInputOperands()) {
      AffineMap &map = maps[input->getOperandNumber()];
      if (map.getNumResults() + 1 == kept.getNumResults() && map.getNumResults() > 0) {
        map = kept;
        input->set(repeated(b, input->get(), joint));
      }
    }
    first.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    return true;
  }

  /// The neutral element of maxnumf is a NaN, which instructions do not take for one. What the
  /// whole reduction begins with does for each part of it, too.
  static Value startOfExtremum(linalg::GenericOp op) {
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

  bool joinElements(IRRewriter &b, linalg::GenericOp op, const Joint &joint) {
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
        operands.push_back(&operand == out ? tensor::EmptyOp::create(b, loc, joint.shape(),
                                                                     getElementTypeOrSelf(value))
                                                 .getResult()
                                           : expanded(b, value, joint));
        maps.push_back(b.getMultiDimIdentityMap(loops));
      } else if (map.getNumResults() == 0) {
        operands.push_back(value);
        maps.push_back(AffineMap::get(loops, 0, b.getContext()));
      } else {
        operands.push_back(repeated(b, value, joint));
        maps.push_back(mapOfRows(loops, joint.across, b.getContext()));
      }
    }
    SmallVector<utils::IteratorType> iterators(loops, utils::IteratorType::parallel);
    auto joined =
        linalg::GenericOp::create(b, loc, operands.back().getType(), ArrayRef(operands).drop_back(),
                                  operands.back(), maps, iterators);
    b.inlineRegionBefore(op.getRegion(), joined.getRegion(), joined.getRegion().begin());
    writeThrough(b, op, joined.getResult(0), joint);
    Value apart = tensor::CollapseShapeOp::create(b, loc, op->getResult(0).getType(),
                                                  joined.getResult(0), joint.reassociation());
    b.replaceOp(op, apart);
    return true;
  }

  /// What the caller gets is written as it is computed.
  static void writeThrough(IRRewriter &b, linalg::GenericOp op, Value joined, const Joint &joint) {
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
      if (!write || !isa<MemRefType>(write.getDest().getType()))
        continue;
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(write);
      Value view = memref::ExpandShapeOp::create(b, write.getLoc(), joint.shape(), write.getDest(),
                                                 joint.reassociation());
      b.modifyOpInPlace(write, [&] {
        write.getSourceMutable().assign(joined);
        write.getDestMutable().assign(view);
      });
    }
  }

  static Value expanded(IRRewriter &b, Value value, const Joint &joint) {
    auto type = cast<RankedTensorType>(value.getType()).clone(joint.shape());
    if (auto view = value.getDefiningOp<tensor::CollapseShapeOp>();
        view && view.getSrcType() == type)
      return view.getSrc();
    return tensor::ExpandShapeOp::create(b, value.getLoc(), type, value, joint.reassociation());
  }

  /// A row for each of those that are joined.
  Value repeated(IRRewriter &b, Value row, const Joint &joint) {
    Value &known = rows[row];
    if (known)
      return known;
    auto type = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + joint.across, joint.joined);
    Value out = tensor::EmptyOp::create(b, row.getLoc(), shape, type.getElementType());
    AffineMap all = b.getMultiDimIdentityMap(shape.size());
    SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
    known = linalg::GenericOp::create(b, row.getLoc(), out.getType(), row, out,
                                      {all.dropResult(joint.across), all}, loops,
                                      [](OpBuilder &inside, Location loc, ValueRange elements) {
                                        linalg::YieldOp::create(inside, loc, elements.front());
                                      })
                .getResult(0);
    return known;
  }

  SmallVector<Joint> joints;
  llvm::SmallDenseMap<Value, Value> rows; ///< and what repeats them
};

} // namespace
} // namespace kgen
