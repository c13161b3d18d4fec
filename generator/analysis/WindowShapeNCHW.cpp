#include "analysis/WindowShapeNCHW.h"

#include "analysis/SizeBounds.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {

bool WindowShapeNCHW::recognize() {
  // More taps make unrolled code too long; larger strides read mostly elements that are not used.
  constexpr int64_t maxTaps = 64, maxStride = 4;
  unsigned parallel = op.getNumParallelLoops();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || !isScalarCodeOnTensors(op) ||
      parallel < 2 || parallel == op.getNumLoops() || llvm::is_contained(sizes, 0) ||
      llvm::any_of(ArrayRef(sizes).drop_front(parallel - 1), ShapedType::isDynamic) ||
      !greatestLoopSizesOf(op) ||
      op.getIndexingMapsArray().back() !=
          AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext())
              .getMajorSubMap(parallel))
    return false;
  pixel = parallel - 1;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1 ||
      !linalg::getCombinerOpKind(combiners.front()) || !arith::getNeutralElement(combiners.front()))
    return false;
  combine = combiners.front();
  int64_t taps = 1, read = 0;
  for (int64_t size : ArrayRef(sizes).drop_front(parallel))
    taps *= size;
  for (unsigned number = 0; number < op.getNumDpsInputs(); ++number)
    if (op.payloadUsesValueFromOperand(&op->getOpOperand(number))) {
      image = number;
      ++read;
    }
  if (read != 1 || taps > maxTaps)
    return false;
  AffineMap map = op.getIndexingMapsArray()[image];
  for (AffineExpr index : map.getResults()) {
    auto known = tpp::linearCoefficients(index, sizes.size());
    if (!known)
      return false;
    coefficients.push_back(llvm::to_vector(*known));
  }
  auto movesAlong = [&](unsigned loop) {
    return [this, loop](unsigned position) { return coefficients[position][loop] != 0; };
  };
  auto last = static_cast<unsigned>(coefficients.size() - 1);
  if (coefficients.empty() || map.isProjectedPermutation() || coefficients[last][pixel] < 1 ||
      coefficients[last][pixel] > maxStride ||
      llvm::any_of(llvm::seq(0U, last), movesAlong(pixel)) ||
      llvm::any_of(llvm::seq(0U, pixel),
                   [&](unsigned loop) { return coefficients[last][loop] != 0; }))
    return false;
  // Each column of the window has the same taps in the other dimensions.
  for (unsigned loop = parallel; loop < sizes.size(); ++loop)
    if (coefficients[last][loop] != 0 && llvm::any_of(llvm::seq(0U, last), movesAlong(loop)))
      return false;
  return findPadding();
}

/// Sees through neutral padding of the image along its columns and one other dimension. False if
/// the offset of a padded dimension is not constant, or if windows slide along it by several loops.
bool WindowShapeNCHW::findPadding() {
  OpBuilder b(op);
  PaddedSource source = sourceOf(op.getDpsInputs()[image]);
  auto last = static_cast<unsigned>(coefficients.size() - 1);
  unpadded = op.getDpsInputs()[image];
  columns = slidingAlong(last, pixel, 0);
  if (ShapedType::isDynamic(columns.size))
    return false;
  if (!source.pad || !isNeutralPadding(op, source.pad))
    return true;
  pad = source.pad;
  unpadded = source.tensor;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  for (unsigned position = 0; position < low.size(); ++position) {
    AffineExpr withoutLow = b.getAffineSymbolExpr(0) - low[position];
    unpaddedOffsets.push_back(affine::makeComposedFoldedAffineApply(b, op.getLoc(), withoutLow,
                                                                    {source.offsets[position]}));
    std::optional<int64_t> offset = getConstantIntValue(unpaddedOffsets.back());
    if (position == last) {
      if (!offset)
        return false;
      columns = slidingAlong(last, pixel, *offset);
    } else if (low[position] != 0 || high[position] != 0) {
      SmallVector<unsigned> loops;
      for (unsigned loop = 0; loop < pixel; ++loop)
        if (coefficients[position][loop] != 0)
          loops.push_back(loop);
      if (rows || !offset || loops.size() != 1 || ShapedType::isDynamic(sizes[loops.front()]))
        return false;
      rows = slidingAlong(position, loops.front(), *offset);
    }
  }
  return true;
}

bool foldsPaddingNCHW(OpOperand &use) {
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  std::optional<WindowShapeNCHW> shape = generic ? WindowShapeNCHW::match(generic) : std::nullopt;
  return shape && shape->pad == use.get().getDefiningOp();
}

} // namespace kgen
