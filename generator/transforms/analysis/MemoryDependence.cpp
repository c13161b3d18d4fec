#include "transforms/analysis/MemoryDependence.h"

#include "transforms/analysis/TaskGrid.h"
#include "transforms/analysis/TileAliasAnalysis.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// A closed interval.
struct Interval {
  int64_t first, last;
};
/// An interval of indices for each dimension of a buffer.
using Bounds = SmallVector<Interval>;

std::optional<Interval> rangeOf(OpFoldResult value);

std::optional<Interval> rangeOf(AffineExpr expr, ArrayRef<Value> operands, unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return rangeOf(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return rangeOf(operands[dims + symbol.getPosition()]);
  auto pair = cast<AffineBinaryOpExpr>(expr);
  std::optional<Interval> left = rangeOf(pair.getLHS(), operands, dims),
                          right = rangeOf(pair.getRHS(), operands, dims);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return Interval{left->first + right->first, left->last + right->last};
  int64_t factor = right->first;
  if (factor != right->last || factor < 1)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Mul:
    return Interval{left->first * factor, left->last * factor};
  case AffineExprKind::FloorDiv:
    return Interval{llvm::divideFloorSigned(left->first, factor),
                    llvm::divideFloorSigned(left->last, factor)};
  case AffineExprKind::CeilDiv:
    return Interval{llvm::divideCeilSigned(left->first, factor),
                    llvm::divideCeilSigned(left->last, factor)};
  default:
    return Interval{0, factor - 1}; // Mod
  }
}

/// The smallest interval with the values of an index in all iterations of the loops around it;
/// nothing if it is not known.
std::optional<Interval> rangeOf(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return Interval{*constant, *constant};
  auto index = cast<Value>(value);
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    return rangeOf(map.getResult(0), SmallVector<Value>(apply.getOperands()), map.getNumDims());
  }
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop =
      argument ? dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  std::optional<SmallVector<Value>> variables = loop ? loop.getLoopInductionVars() : std::nullopt;
  std::optional<TaskGrid> grid = variables ? gridOf(loop) : std::nullopt;
  if (!grid)
    return std::nullopt;
  for (auto [variable, first, step, count] :
       llvm::zip_equal(*variables, grid->lower, grid->step, grid->counts))
    if (variable == index && count > 0)
      return Interval{first, first + step * (count - 1)};
  return std::nullopt;
}

/// A view, the views that it is made of, and at last the buffer, each with the bounds of what is
/// accessed if that is known.
using Views = SmallVector<std::pair<Value, std::optional<Bounds>>>;

/// Bounds within a subview as bounds within its source.
std::optional<Bounds> boundsOfSource(memref::SubViewOp view, const std::optional<Bounds> &bounds) {
  if (!bounds)
    return std::nullopt;
  Bounds result;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  const Interval *range = bounds->begin();
  for (auto [dimension, offset, step] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    std::optional<Interval> start = rangeOf(offset);
    std::optional<int64_t> stride = getConstantIntValue(step);
    if (!start || !stride || *stride < 1)
      return std::nullopt;
    Interval inside = dropped.test(dimension) ? Interval{0, 0} : *range++;
    result.push_back({start->first + inside.first * *stride, start->last + inside.last * *stride});
  }
  return result;
}

Views viewsOf(Value memory) {
  auto whole = [](Value value) -> std::optional<Bounds> {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    return Bounds(llvm::map_range(type.getShape(), [](int64_t size) {
      return Interval{0, size - 1};
    }));
  };
  Views views{{memory, whole(memory)}};
  while (auto like = views.back().first.getDefiningOp<ViewLikeOpInterface>()) {
    std::optional<Bounds> bounds;
    if (auto view = dyn_cast<memref::SubViewOp>(*like))
      bounds = boundsOfSource(view, views.back().second);
    views.push_back({like.getViewSource(), bounds});
  }
  return views;
}

bool areDisjoint(const Bounds &x, const Bounds &y) {
  return llvm::any_of(llvm::zip_equal(x, y), [](auto both) {
    auto [a, b] = both;
    return a.last < b.first || b.last < a.first;
  });
}

class Dependences {
public:
  explicit Dependences(Operation *root) : aliasing(root) {}

  bool mayTouchSame(Value x, Value y) {
    Views ofX = viewsOf(x), ofY = viewsOf(y);
    if (ofX.back().first != ofY.back().first)
      return aliasing.mayOverlap(ofX.back().first, ofY.back().first);
    for (const auto &[view, bounds] : ofX)
      for (const auto &[other, otherBounds] : ofY)
        if (view == other && bounds && otherBounds && areDisjoint(*bounds, *otherBounds))
          return false;
    return true;
  }

private:
  TileAliasAnalysis aliasing;
};

/// A read or write of memory that is not local to the operation.
struct Access {
  Value memory;
  bool writes;
};

/// Nothing if an effect is not known.
std::optional<SmallVector<Access>> accessesOf(Operation *op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  if (!effects)
    return std::nullopt;
  SmallVector<Access> accesses;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()))
      continue;
    Value memory = effect.getValue();
    if (!memory || !isa<MemRefType>(memory.getType()))
      return std::nullopt;
    Operation *owner = viewsOf(memory).back().first.getDefiningOp();
    if (!owner || !op->isAncestor(owner))
      accesses.push_back({memory, !isa<MemoryEffects::Read>(effect.getEffect())});
  }
  return accesses;
}

} // namespace

bool mayDepend(Operation *one, Operation *other) {
  std::optional<SmallVector<Access>> first = accessesOf(one), second = accessesOf(other);
  if (!first || !second)
    return true;
  Dependences dependences(one->getParentOp());
  return llvm::any_of(*first, [&](const Access &x) {
    return llvm::any_of(*second, [&](const Access &y) {
      return (x.writes || y.writes) && dependences.mayTouchSame(x.memory, y.memory);
    });
  });
}

} // namespace kgen
