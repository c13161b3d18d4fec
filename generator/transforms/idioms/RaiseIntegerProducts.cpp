// Products and convolutions of numbers that are computed from bytes become those of the bytes.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/idioms/FloatsOfBytes.h"
#include "transforms/idioms/IdiomMatch.h"
#include "transforms/idioms/IntegerProduct.h"
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/raise/ContractionLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/RegionUtils.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

/// Finds how both operands of a sum of products are computed from bytes.
class IntegerProductMatch {
public:
  explicit IntegerProductMatch(linalg::LinalgOp op)
      : op(op), loops(op.getStaticLoopRanges()), kinds(op.getIteratorTypesArray()) {}

  /// Empty if both are; else what is missing.
  std::string missing() {
    std::string mismatches[2] = {matchSide(0), matchSide(1)};
    for (const std::string &mismatchReason : mismatches)
      if (!mismatchReason.empty())
        return mismatchReason;
    return mismatchOfSums();
  }

  /// Of the product and what its operands are made by.
  Location location() const {
    SmallVector<Location> list;
    for (const ByteFactor &side : sides)
      if (side.of)
        side.of->appendLocations(list);
    SetVector<Location> locations(list.begin(), list.end());
    locations.insert(op->getLoc());
    return FusedLoc::get(op->getContext(), locations.getArrayRef());
  }

  const ByteFactor (&factors() const)[2] { return sides; }

private:
  AffineMap mapOf(unsigned side) { return op.getMatchingIndexingMap(op.getDpsInputOperand(side)); }
  bool isReduction(unsigned loop) const { return kinds[loop] == utils::IteratorType::reduction; }

  /// The operand with a scale for each index of a loop that is one of its dimensions, or one for
  /// all.
  std::optional<Dequantization> along(unsigned side, std::optional<unsigned> loop) {
    AffineMap map = mapOf(side);
    Channels channels{1, SmallVector<int64_t>(map.getNumResults(), 0)};
    if (loop) {
      auto dim = map.getResultPosition(getAffineDimExpr(*loop, op->getContext()));
      if (!dim)
        return std::nullopt;
      channels.count = loops[*loop];
      channels.strides[*dim] = 1;
    }
    return Dequantization::match(op.getDpsInputs()[side], channels);
  }

  std::string matchSide(unsigned side) {
    Operation *computed = op.getDpsInputs()[side].getDefiningOp();
    std::string name = computed ? nameOf(computed) : "an operand";
    ByteFactor &factor = sides[side];
    factor.of = along(side, std::nullopt);
    for (unsigned loop = 0; loop < loops.size() && !factor.of; ++loop)
      if (!isReduction(loop)) {
        factor.of = along(side, loop);
        factor.loop = loop;
      }
    if (factor.of)
      return factor.of->mismatchReason().empty()
                 ? ""
                 : factor.of->mismatchReason().str() + " in " + name;
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (isReduction(loop) && along(side, loop))
        return "scales or zero points of " + name + " differ along a dimension that is summed over";
    return name + " is no (byte - zero point) * scale whose scale and zero point are constants, "
                  "one for all or one for each index of a dimension";
  }

  /// True if a window moves over an image whose channels are summed up each by itself, as in a
  /// depthwise convolution: the filter has no loop of results that the image lacks.
  bool isDepthwise() {
    if (mapOf(0).isProjectedPermutation())
      return false;
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (!isReduction(loop) && mapOf(1).isFunctionOfDim(loop) && !mapOf(0).isFunctionOfDim(loop))
        return false;
    return true;
  }

  std::string mismatchOfSums() {
    if (isDepthwise())
      return "each channel is summed up by itself, which is faster in f32";
    if (reductionDepth(op) > maxByteProducts)
      return "sums of " + std::to_string(reductionDepth(op)) + " products may exceed 32 bits";
    for (unsigned side : {0U, 1U}) {
      const ByteFactor &other = sides[1 - side];
      for (unsigned loop = 0; loop < loops.size(); ++loop)
        if (isReduction(loop) && !mapOf(side).isFunctionOfDim(loop))
          return "an operand is the same along a dimension that is summed over";
      if (other.hasZeroPoint() && !mapOf(side).isProjectedPermutation())
        return "filters have zero points";
      for (double scale : sides[side].of->scales())
        for (double times : other.of->scales())
          if (!std::isnormal(static_cast<float>(scale * times)))
            return "the product of two scales is no normal number";
    }
    return "";
  }

  linalg::LinalgOp op;
  SmallVector<int64_t> loops;
  SmallVector<utils::IteratorType> kinds;
  ByteFactor sides[2];
};

/// True if both operands are computed from bytes, in whichever way.
bool isOfBytes(linalg::LinalgOp op) {
  return sumsProducts(op) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isProjectedPermutation() &&
         llvm::all_of(op.getStaticLoopRanges(), [](int64_t size) { return size > 0; }) &&
         llvm::all_of(op.getDpsInputs(), [](Value operand) {
           return getElementTypeOrSelf(operand).isF32() && Dequantization::leadsToBytes(operand);
         });
}

} // namespace

void raiseIntegerProducts(func::FuncOp func, IdiomLog &log) {
  SmallVector<linalg::LinalgOp> products;
  func.walk([&](linalg::LinalgOp op) {
    if (isOfBytes(op))
      products.push_back(op);
  });
  RefusedProducts refused;
  bool isChanged = false;
  for (linalg::LinalgOp op : products) {
    IntegerProductMatch match(op);
    std::string missing = match.missing();
    if (!missing.empty()) {
      log.refused(match.location(), "no product of bytes: " + missing);
      refused[op] = missing;
      continue;
    }
    log.applied(match.location(), "a product of bytes");
    OpBuilder b(op);
    op->getResult(0).replaceAllUsesWith(buildIntegerProduct(b, op, match.factors()));
    isChanged = true;
  }
  if (isChanged) {
    IRRewriter rewriter(func.getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }
  reportFloatsOfBytes(func, refused, log);
}

} // namespace kgen
