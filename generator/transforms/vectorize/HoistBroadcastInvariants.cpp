#include "transforms/vectorize/HoistBroadcastInvariants.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/Kgen.h"
#include "transforms/vectorize/LoopSizes.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {

namespace {

/// The values of a body that are invariant along some loops.
class InvariantValues {
public:
  explicit InvariantValues(linalg::GenericOp op) : op(op), sizes(LoopSizes(op).greatest()) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (isa<RankedTensorType>(input->get().getType()) && map.isProjectedPermutation())
        if (AffineMap indices = combineMaps({}, map))
          maps[op.getMatchingBlockArgument(input)] = indices;
    }
    for (Operation &inner : op.getBody()->without_terminator())
      include(inner);
  }

  /// Returns a value that is worth hoisting: it contains an expensive operation, and a user varies
  /// along more loops; null if there is none.
  Value nextToHoist() {
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (inner.getNumResults() != 1 || !maps.contains(inner.getResult(0)))
        continue;
      Value result = inner.getResult(0);
      bool isFrontier = llvm::any_of(inner.getUsers(), [&](Operation *user) {
        return user->getNumResults() != 1 || maps.lookup(user->getResult(0)) != mapOf(result);
      });
      if (isFrontier && llvm::any_of(slice(result), isExpensive))
        return result;
    }
    return {};
  }

  AffineMap mapOf(Value value) const { return maps.lookup(value); }

  /// Returns the operations of the body that compute `value`, in order.
  SmallVector<Operation *> slice(Value value) {
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *each) { return each->getBlock() == op.getBody(); };
    SetVector<Operation *> found;
    if (failed(getBackwardSlice(value, &found, options)))
      return {};
    return found.takeVector();
  }

private:
  /// Returns the indices on which a value depends that is computed from values which depend on
  /// `first` (may be null) and `second`. Null if nothing is saved: it depends on all loops, or on
  /// none.
  AffineMap combineMaps(AffineMap first, AffineMap second) const {
    // The operand with more dimensions determines the order.
    if (first && first.getNumResults() < second.getNumResults())
      std::swap(first, second);
    SmallVector<AffineExpr> results;
    for (AffineMap each : {first, second})
      for (AffineExpr expr : each ? each.getResults() : ArrayRef<AffineExpr>())
        if (!llvm::is_contained(results, expr))
          results.push_back(expr);
    auto map = AffineMap::get(sizes.size(), 0, results, second.getContext());
    uint64_t elements = 1, others = 1;
    for (auto [loop, size] : llvm::enumerate(sizes)) {
      uint64_t &count = map.isFunctionOfDim(loop) ? elements : others;
      count = llvm::SaturatingMultiply<uint64_t>(count, size);
    }
    return elements > 1 && others > 1 ? map : AffineMap();
  }

  void include(Operation &inner) {
    if (inner.getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(&inner))
      return;
    AffineMap common;
    for (Value operand : inner.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      bool isKnown = producer && (producer->hasTrait<OpTrait::ConstantLike>() ||
                                  producer->getBlock() != op.getBody());
      if (isKnown)
        continue;
      AffineMap map = maps.lookup(operand);
      common = map ? combineMaps(common, map) : map;
      if (!common)
        return;
    }
    if (common)
      maps[inner.getResult(0)] = common;
  }

  static bool isExpensive(Operation *inner) {
    return isa<arith::DivFOp>(inner) || isMathFunction(inner);
  }

  linalg::GenericOp op;
  SmallVector<int64_t> sizes;                 ///< the greatest ones of loops
  llvm::SmallDenseMap<Value, AffineMap> maps; ///< the indices on which invariant values depend
};

/// Restricts an operand's map to the dimensions of `invariant`.
AffineMap restrictTo(AffineMap operand, AffineMap invariant) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : operand.getResults())
    results.push_back(getAffineDimExpr(*invariant.getResultPosition(expr), operand.getContext()));
  return AffineMap::get(invariant.getNumResults(), 0, results, operand.getContext());
}

/// Builds an operation over the loops of `map` that computes `value`.
Value buildHoisted(RewriterBase &b, linalg::GenericOp op, Value value, AffineMap map,
                   ArrayRef<Operation *> slice) {
  SmallVector<Value> inputs;
  SmallVector<BlockArgument> arguments;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (llvm::any_of(slice, [&](Operation *each) {
          return llvm::is_contained(each->getOperands(), argument);
        })) {
      inputs.push_back(input->get());
      arguments.push_back(argument);
      maps.push_back(restrictTo(op.getMatchingIndexingMap(input), map));
    }
  }
  LoopSizes sizes(op);
  SmallVector<OpFoldResult> shape;
  b.setInsertionPoint(op);
  for (AffineExpr expr : map.getResults())
    shape.push_back(sizes.value(b, cast<AffineDimExpr>(expr).getPosition()));
  Location loc = op.getLoc();
  Value out = emptyTensor(b, loc, shape, value.getType());
  maps.push_back(b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  auto hoisted =
      linalg::GenericOp::create(b, loc, TypeRange{out.getType()}, inputs, out, maps, loops,
                                [&](OpBuilder &inside, Location at, ValueRange elements) {
                                  IRMapping mapping;
                                  mapping.map(arguments, elements.drop_back());
                                  for (Operation *each : slice)
                                    inside.clone(*each, mapping);
                                  linalg::YieldOp::create(inside, at, mapping.lookup(value));
                                });
  return hoisted.getResult(0);
}

} // namespace

linalg::GenericOp hoistBroadcastInvariants(RewriterBase &b, linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || !LoopSizes(op).areKnown() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return op;
  InvariantValues invariants(op);
  Value value = invariants.nextToHoist();
  if (!value)
    return op;
  AffineMap map = invariants.mapOf(value);
  Value hoisted = buildHoisted(b, op, value, map, invariants.slice(value));
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  inputs.push_back(hoisted);
  maps.insert(maps.end() - 1, map);
  auto replacement = linalg::GenericOp::create(b, op.getLoc(), op->getResultTypes(), inputs,
                                               op.getDpsInits(), maps, op.getIteratorTypesArray());
  replacement->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &body = *op.getBody();
  BlockArgument argument =
      body.insertArgument(body.getNumArguments() - 1, value.getType(), op.getLoc());
  b.replaceAllUsesWith(value, argument);
  b.inlineRegionBefore(op.getRegion(), replacement.getRegion(), replacement.getRegion().begin());
  b.replaceOp(op, replacement.getResults());
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*replacement.getBody())))
    if (isOpTriviallyDead(&inner))
      b.eraseOp(&inner);
  return hoistBroadcastInvariants(b, replacement);
}

} // namespace kgen
