#include "analysis/MemoryDependence.h"

#include "analysis/IndexRange.h"
#include "analysis/TileAliasAnalysis.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// A range of indices for each dimension of a buffer.
using Bounds = SmallVector<IndexRange>;

/// A view, the views that it is made of, and at last the buffer, each with the bounds of what is
/// accessed if that is known.
using Views = SmallVector<std::pair<Value, std::optional<Bounds>>>;

/// Bounds within a subview as bounds within its source.
std::optional<Bounds> boundsOfSource(memref::SubViewOp view, const std::optional<Bounds> &bounds) {
  if (!bounds)
    return std::nullopt;
  Bounds result;
  llvm::SmallBitVector dropped = view.getDroppedDims();
  const IndexRange *range = bounds->begin();
  for (auto [dimension, offset, step] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    std::optional<IndexRange> start = rangeOf(offset);
    std::optional<int64_t> stride = getConstantIntValue(step);
    if (!start || !stride || *stride < 1)
      return std::nullopt;
    IndexRange inside = dropped.test(dimension) ? IndexRange{0, 0} : *range++;
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
      return IndexRange{0, size - 1};
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
