// Emulation of bf16 as i16: the same bits on every CPU, and no calls into a compiler's library.
#include "dialect/kgen/PrecisionHints.h"
#include "dialect/kgen/RefusalListener.h"
#include "math/Bf16Rounding.h"
#include "transforms/lower/EmulateNarrowFloats.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Transforms/Passes.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
namespace {

/// The upper 16 bits of integers of 32 bits, as i16. For two vectors at once that is one shuffle; a
/// shift and a truncation take five instructions.
Value upperHalves(PatternRewriter &b, Location loc, Value words) {
  Type halves = withElements(words.getType(), b.getI16Type());
  auto vector = dyn_cast<VectorType>(words.getType());
  if (!vector) {
    auto count = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
    Value shifted = arith::ShRUIOp::create(b, loc, words, count);
    return arith::TruncIOp::create(b, loc, halves, shifted);
  }
  int64_t count = vector.getNumElements();
  Value flat = vector::ShapeCastOp::create(b, loc, VectorType::get({count}, b.getI32Type()), words);
  Value both =
      vector::BitCastOp::create(b, loc, VectorType::get({2 * count}, b.getI16Type()), flat);
  SmallVector<int64_t> upper;
  for (int64_t lane = 0; lane < count; ++lane)
    upper.push_back(2 * lane + 1);
  Value found = vector::ShuffleOp::create(b, loc, both, both, upper);
  return vector::ShapeCastOp::create(b, loc, halves, found);
}

struct ExpandRoundingToBf16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isF32() || !getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not from f32 to bf16");
    if (op.getRoundingmode())
      return rewriter.notifyMatchFailure(op, "not to nearest");
    vecmath::Emitter emitter{rewriter, op.getLoc(), op.getIn().getType()};
    vecmath::Rounding rounding{!op->hasAttr(resultPrecisionAttrName),
                               op->hasAttr(canonicalNansAttrName)};
    Value words = vecmath::bf16FromF32({emitter, op.getIn()}, rounding).value();
    Value halves = upperHalves(rewriter, op.getLoc(), words);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), halves);
    return success();
  }
};

} // namespace

LogicalResult emulateBf16(ModuleOp module) {
  auto bf16 = BFloat16Type::get(module.getContext());
  dropDefaultRounding(module, bf16);
  convertByF32(module, bf16);
  RewritePatternSet patterns(module.getContext());
  arith::populateExpandBFloat16Patterns(patterns); // extension, and conversion from f64
  patterns.add<ExpandRoundingToBf16>(module.getContext(), /*benefit=*/2);
  walkAndApplyPatterns(module, std::move(patterns), refusalListener());
  return storeAsIntegers(module, bf16);
}

} // namespace kgen
