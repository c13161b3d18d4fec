#include "analysis/TileAliasAnalysis.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

using namespace mlir;

namespace kgen {
namespace {

/// The elements of a memref: root, offset, sizes and strides.
struct Layout {
  Value root;
  std::optional<int64_t> start; ///< of the memref's base in the root, in bytes
  OpFoldResult offset;          ///< of the first element from the base, in elements; null: unknown
  SmallVector<std::pair<int64_t, int64_t>>
      dimensions; ///< (size, stride); dimensions of size one are dropped
  Type element;
  bool isStatic = false; ///< sizes and strides are known

  int64_t bytes() const { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }
  std::optional<int64_t> firstByte() const {
    std::optional<int64_t> first = offset ? getConstantIntValue(offset) : std::nullopt;
    if (!first || !start || !isStatic)
      return std::nullopt;
    return *start + *first * bytes();
  }
  /// From the first element to the end of the last one.
  int64_t extent() const {
    int64_t last = 0;
    for (auto [size, stride] : dimensions)
      last += (size - 1) * stride;
    return (last + 1) * bytes();
  }
};

/// Follows views to their root, and adds up the byte shifts on the way.
void findRoot(Value view, Layout &layout) {
  layout.start = 0;
  while (Operation *op = view.getDefiningOp()) {
    if (auto bytes = dyn_cast<memref::ViewOp>(op)) {
      std::optional<int64_t> shift = getConstantIntValue(bytes.getByteShift());
      layout.start = shift && layout.start ? std::optional(*layout.start + *shift) : std::nullopt;
      view = bytes.getSource();
    } else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op)) {
      view = metadata.getSource();
    } else if (auto like = dyn_cast<ViewLikeOpInterface>(op)) {
      view = like.getViewSource();
    } else {
      break;
    }
  }
  layout.root = view;
}

Layout layoutOf(Value tile) {
  // The type after a cast says less than the one before it.
  while (auto cast = tile.getDefiningOp<memref::CastOp>()) {
    if (!isa<MemRefType>(cast.getSource().getType()))
      break;
    tile = cast.getSource();
  }
  Layout layout;
  findRoot(tile, layout);
  auto type = cast<MemRefType>(tile.getType());
  layout.element = type.getElementType();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() || !layout.element.isIntOrFloat() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return layout;
  layout.isStatic = llvm::none_of(strides, ShapedType::isDynamic);
  for (auto [size, stride] : llvm::zip(type.getShape(), strides))
    if (size != 1)
      layout.dimensions.push_back({size, stride});
  if (auto cast = tile.getDefiningOp<memref::ReinterpretCastOp>())
    layout.offset = cast.getMixedOffsets().front();
  std::optional<int64_t> constant =
      layout.offset ? getConstantIntValue(layout.offset) : std::nullopt;
  if (!ShapedType::isDynamic(offset))
    constant = offset;
  if (constant) // in one form, to be compared
    layout.offset = OpBuilder(tile.getContext()).getIndexAttr(*constant);
  return layout;
}

/// True if two tiles of a matrix have disjoint columns; `xFirst` and `yFirst` are their offsets in
/// elements.
bool areDisjointColumns(const Layout &x, const Layout &y, int64_t xFirst, int64_t yFirst) {
  if (x.dimensions.size() != 2 || y.dimensions.size() != 2 || x.element != y.element ||
      x.dimensions[1].second != 1 || y.dimensions[1].second != 1)
    return false;
  int64_t row = x.dimensions[0].second;
  if (row <= 0 || y.dimensions[0].second != row)
    return false;
  int64_t xColumn = xFirst % row, yColumn = yFirst % row;
  int64_t xEnd = xColumn + x.dimensions[1].first, yEnd = yColumn + y.dimensions[1].first;
  return xEnd <= row && yEnd <= row && (xEnd <= yColumn || yEnd <= xColumn);
}

enum class Overlap { none, unknown, certain };

/// Returns the overlap of two tiles in one buffer.
Overlap overlapInRoot(const Layout &x, const Layout &y) {
  std::optional<int64_t> xFirst = x.firstByte(), yFirst = y.firstByte();
  if (!xFirst || !yFirst) {
    bool sameStart = x.offset && x.offset == y.offset && x.start && x.start == y.start;
    return sameStart ? Overlap::certain : Overlap::unknown;
  }
  if (*xFirst + x.extent() <= *yFirst || *yFirst + y.extent() <= *xFirst)
    return Overlap::none;
  int64_t bytes = x.bytes();
  if (areDisjointColumns(x, y, *xFirst / bytes, *yFirst / bytes))
    return Overlap::none;
  auto isDense = [](const Layout &layout) {
    int64_t count = 1;
    for (auto [size, stride] : layout.dimensions)
      count *= size;
    return layout.extent() == count * layout.bytes();
  };
  return *xFirst == *yFirst || (isDense(x) && isDense(y)) ? Overlap::certain : Overlap::unknown;
}

bool isNoAliasArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getNoAliasAttrName());
}

} // namespace

Value TileAliasAnalysis::rootOf(Value view) { return layoutOf(view).root; }

std::optional<int64_t> TileAliasAnalysis::endInRoot(Value tile, int64_t further) {
  Layout layout = layoutOf(tile);
  std::optional<int64_t> first = layout.firstByte();
  if (!first)
    return std::nullopt;
  return *first + layout.extent() + further * layout.bytes();
}

bool TileAliasAnalysis::isSame(Value x, Value y) {
  if (x == y)
    return true;
  Layout a = layoutOf(x), b = layoutOf(y);
  return a.root == b.root && a.start && a.start == b.start && a.offset && a.offset == b.offset &&
         a.isStatic && b.isStatic && a.element == b.element && a.dimensions == b.dimensions;
}

/// True if the roots are proven distinct: a noalias argument and another known root, an allocation
/// and another root, two constants.
bool TileAliasAnalysis::areDistinctRoots(Value x, Value y) {
  auto isKnownRoot = [](Value value) {
    return isa<BlockArgument>(value) || value.getDefiningOp<memref::GetGlobalOp>() ||
           value.getDefiningOp<memref::AllocOp>() || value.getDefiningOp<memref::AllocaOp>();
  };
  if ((isNoAliasArgument(x) && isKnownRoot(y)) || (isNoAliasArgument(y) && isKnownRoot(x)))
    return true;
  // An allocation is no constant, no other allocation, and no memory of the caller.
  auto isLocal = [](Value value) {
    return value.getDefiningOp<memref::AllocOp>() || value.getDefiningOp<memref::AllocaOp>();
  };
  auto isOfCaller = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  };
  auto isOther = [&](Value value) {
    return isLocal(value) || isOfCaller(value) || value.getDefiningOp<memref::GetGlobalOp>();
  };
  if ((isLocal(x) && isOther(y)) || (isLocal(y) && isOther(x)))
    return true;
  auto xGlobal = x.getDefiningOp<memref::GetGlobalOp>(),
       yGlobal = y.getDefiningOp<memref::GetGlobalOp>();
  if (xGlobal && yGlobal)
    return xGlobal.getName() != yGlobal.getName();
  return analysis.alias(x, y).isNo();
}

bool TileAliasAnalysis::mayOverlap(Value x, Value y) {
  Layout a = layoutOf(x), b = layoutOf(y);
  if (a.root != b.root)
    return !areDistinctRoots(a.root, b.root);
  return overlapInRoot(a, b) != Overlap::none;
}

bool TileAliasAnalysis::mustOverlap(Value x, Value y) {
  Layout a = layoutOf(x), b = layoutOf(y);
  return x == y || (a.root == b.root && overlapInRoot(a, b) == Overlap::certain);
}

bool TileAliasAnalysis::mayAccess(Operation *op, Value tile, bool writesOnly) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()) ||
        (writesOnly && isa<MemoryEffects::Read>(effect.getEffect())))
      return false;
    Value memory = effect.getValue();
    return !memory || !isa<MemRefType>(memory.getType()) || mayOverlap(memory, tile);
  });
}

} // namespace kgen
