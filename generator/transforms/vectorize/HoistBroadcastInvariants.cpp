#include "transforms/vectorize/HoistBroadcastInvariants.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {

namespace {

/// The parts of one body that are the same along some loops.
class Repeated {
public:
  explicit Repeated(linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (isa<RankedTensorType>(input->get().getType()) && map.isProjectedPermutation())
        if (AffineMap places = placesOf({}, map))
          maps[op.getMatchingBlockArgument(input)] = places;
    }
    for (Operation &inner : op.getBody()->without_terminator())
      include(inner);
  }

  /// A result whose users need more than it is made of, and that is worth being kept; or null.
  Value next() {
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (inner.getNumResults() != 1 || !maps.contains(inner.getResult(0)))
        continue;
      Value result = inner.getResult(0);
      bool isLast = llvm::any_of(inner.getUsers(), [&](Operation *user) {
        return user->getNumResults() != 1 || maps.lookup(user->getResult(0)) != mapOf(result);
      });
      if (isLast && llvm::any_of(slice(result), isExpensive))
        return result;
    }
    return {};
  }

  AffineMap mapOf(Value value) const { return maps.lookup(value); }

  /// The operations that a value is made by, in order.
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
  /// The places of values that are made of one for each place of `first`, which may be null, and
  /// one for each of `second`; or null if nothing is saved: as many as there are iterations, or
  /// one.
  AffineMap placesOf(AffineMap first, AffineMap second) const {
    // In the order of the operand that has more dimensions.
    if (first && first.getNumResults() < second.getNumResults())
      std::swap(first, second);
    SmallVector<AffineExpr> results;
    for (AffineMap each : {first, second})
      for (AffineExpr expr : each ? each.getResults() : ArrayRef<AffineExpr>())
        if (!llvm::is_contained(results, expr))
          results.push_back(expr);
    auto map = AffineMap::get(sizes.size(), 0, results, second.getContext());
    int64_t places = 1, all = 1;
    for (auto [loop, size] : llvm::enumerate(sizes)) {
      all *= size;
      places *= map.isFunctionOfDim(loop) ? size : 1;
    }
    return places > 1 && places < all ? map : AffineMap();
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
      common = map ? placesOf(common, map) : map;
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
  SmallVector<int64_t> sizes;
  llvm::SmallDenseMap<Value, AffineMap> maps; ///< of what is the same along the loops they lack
};

/// An operand's map as one over the dimensions of `places` alone.
AffineMap overPlaces(AffineMap operand, AffineMap places) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : operand.getResults())
    results.push_back(getAffineDimExpr(*places.getResultPosition(expr), operand.getContext()));
  return AffineMap::get(places.getNumResults(), 0, results, operand.getContext());
}

/// `value` and what it is made of as an operation over the loops of `map`.
Value computeApart(RewriterBase &b, linalg::GenericOp op, Value value, AffineMap map,
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
      maps.push_back(overPlaces(op.getMatchingIndexingMap(input), map));
    }
  }
  SmallVector<int64_t> sizes = op.getStaticLoopRanges(), shape;
  for (AffineExpr expr : map.getResults())
    shape.push_back(sizes[cast<AffineDimExpr>(expr).getPosition()]);
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value out = tensor::EmptyOp::create(b, loc, shape, value.getType());
  maps.push_back(b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  auto apart =
      linalg::GenericOp::create(b, loc, TypeRange{out.getType()}, inputs, out, maps, loops,
                                [&](OpBuilder &inside, Location at, ValueRange elements) {
                                  IRMapping mapping;
                                  mapping.map(arguments, elements.drop_back());
                                  for (Operation *each : slice)
                                    inside.clone(*each, mapping);
                                  linalg::YieldOp::create(inside, at, mapping.lookup(value));
                                });
  return apart.getResult(0);
}

} // namespace

linalg::GenericOp hoistBroadcastInvariants(RewriterBase &b, linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.hasDynamicShape() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return op;
  Repeated repeated(op);
  Value value = repeated.next();
  if (!value)
    return op;
  AffineMap map = repeated.mapOf(value);
  Value once = computeApart(b, op, value, map, repeated.slice(value));
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  inputs.push_back(once);
  maps.insert(maps.end() - 1, map);
  auto next = linalg::GenericOp::create(b, op.getLoc(), op->getResultTypes(), inputs,
                                        op.getDpsInits(), maps, op.getIteratorTypesArray());
  next->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Block &body = *op.getBody();
  BlockArgument element =
      body.insertArgument(body.getNumArguments() - 1, value.getType(), op.getLoc());
  b.replaceAllUsesWith(value, element);
  b.inlineRegionBefore(op.getRegion(), next.getRegion(), next.getRegion().begin());
  b.replaceOp(op, next.getResults());
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*next.getBody())))
    if (isOpTriviallyDead(&inner))
      b.eraseOp(&inner);
  return hoistBroadcastInvariants(b, next);
}

} // namespace kgen
