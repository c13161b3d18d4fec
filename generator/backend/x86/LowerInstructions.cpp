// Operations that stand for one instruction each, and the pass kgen-lower-to-x86.
#include "backend/x86/Passes.h"
#include "dialect/kgen/RefusalListener.h"
#include "math/NativeInstructions.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERTOX86PASS
#include "backend/x86/Passes.h.inc"

namespace x86 {

namespace {

struct LowerStoreFence : OpRewritePattern<StoreFenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreFenceOp op, PatternRewriter &rewriter) const override {
    LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(),
                                  rewriter.getStringAttr("llvm.x86.sse.sfence"), ValueRange{});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType sums = op.getType();
    int64_t bits = sums.getNumElements() * sums.getElementTypeBitWidth();
    Type element = op.getA().getType().getElementType();
    bool areNarrow = sums.getElementType().isInteger(16);
    if (element.isInteger(16) || areNarrow) {
      StringRef ofWords = bits == 128   ? "llvm.x86.sse2.pmadd.wd"
                          : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                        : "llvm.x86.avx512.pmaddw.d.512",
                ofBytes = bits == 128   ? "llvm.x86.ssse3.pmadd.ub.sw.128"
                          : bits == 256 ? "llvm.x86.avx2.pmadd.ub.sw"
                                        : "llvm.x86.avx512.pmaddubs.w.512",
                name = areNarrow ? ofBytes : ofWords;
      Value pairs = intrinsic(rewriter, loc, sums, name, {op.getA(), op.getB()});
      rewriter.replaceOpWithNewOp<arith::AddIOp>(op, op.getSum(), pairs);
      return success();
    }
    StringRef name =
        element.isBF16() ? "llvm.x86.avx512bf16.dpbf16ps." : "llvm.x86.avx512.vpdpbusd.";
    rewriter.replaceOp(op, intrinsic(rewriter, loc, sums, name + Twine(bits),
                                     {op.getSum(), op.getA(), op.getB()}));
    return success();
  }
};

struct LowerPack : OpRewritePattern<PackOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PackOp op, PatternRewriter &rewriter) const override {
    VectorType from = op.getA().getType();
    int64_t bits = from.getNumElements() * from.getElementTypeBitWidth();
    StringRef name = op.getIsUnsigned()                    ? "packuswb"
                     : from.getElementType().isInteger(16) ? "packsswb"
                                                           : "packssdw";
    std::string full = bits == 128   ? ("llvm.x86.sse2." + name + ".128").str()
                       : bits == 256 ? ("llvm.x86.avx2." + name).str()
                                     : ("llvm.x86.avx512." + name + ".512").str();
    rewriter.replaceOp(
        op, intrinsic(rewriter, op.getLoc(), op.getType(), full, {op.getA(), op.getB()}));
    return success();
  }
};

/// Conversions round as the processor is set, which is to nearest, ties to even, in programs that
/// leave it alone: one instruction instead of a rounding and a truncation.
struct LowerRounding : OpRewritePattern<arith::FPToSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::FPToSIOp op, PatternRewriter &rewriter) const override {
    auto rounding = op.getIn().getDefiningOp<math::RoundEvenOp>();
    auto type = dyn_cast<VectorType>(op.getType());
    if (!rounding || !type || type.getRank() != 1 || !type.getElementType().isInteger(32) ||
        !getElementTypeOrSelf(op.getIn()).isF32() ||
        !llvm::is_contained({128, 256, 512}, 32 * type.getNumElements()))
      return rewriter.notifyMatchFailure(op, "no register of f32 that is rounded to i32");
    rewriter.replaceOp(
        op, intrinsic(rewriter, op.getLoc(), type, "llvm.lrint", {rounding.getOperand()}));
    return success();
  }
};

/// Replaces an operation by an unmasked AVX-512 instruction, with `numbers` and `immediates` as
/// operands after its own.
void replaceByAvx512(Operation *op, PatternRewriter &rewriter, StringRef name,
                     ArrayRef<double> numbers, ArrayRef<int64_t> immediates) {
  constexpr int64_t registerBits = 512, roundsAsUsual = 4;
  Location loc = op->getLoc();
  Value operand = op->getOperand(0);
  vecmath::Emitter emitter{rewriter, loc, operand.getType()};
  bool isF64 = emitter.isF64();
  int64_t lanes = registerBits / (isF64 ? 64 : 32);
  std::string full = ("llvm.x86.avx512.mask." + name + (isF64 ? ".pd" : ".ps") + ".512").str();
  auto integer = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(rewriter.getIntegerType(width), value));
  };
  Type element = getElementTypeOrSelf(operand.getType());
  auto instruction = [&](Value part) {
    SmallVector<Value> operands{part};
    vecmath::Emitter whole{rewriter, loc, part.getType()};
    for (double number : numbers)
      operands.push_back(whole.number(number));
    for (int64_t value : immediates)
      operands.push_back(integer(32, value));
    operands.push_back(part); // result of masked lanes
    operands.push_back(integer(lanes, -1));
    operands.push_back(integer(32, roundsAsUsual));
    return intrinsic(rewriter, loc, part.getType(), full, operands);
  };
  rewriter.replaceOp(op, vecmath::applyPerRegister(emitter, operand, lanes, element, instruction));
}

struct LowerExponent : OpRewritePattern<ExponentOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExponentOp op, PatternRewriter &rewriter) const override {
    replaceByAvx512(op, rewriter, "getexp", {}, {});
    return success();
  }
};

struct LowerMantissa : OpRewritePattern<MantissaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MantissaOp op, PatternRewriter &rewriter) const override {
    constexpr int64_t fromOneToTwo = 0, nanIfNegative = 0b1100;
    replaceByAvx512(op, rewriter, "getmant", {}, {fromOneToTwo | nanIfNegative});
    return success();
  }
};

struct LowerNegativeMagnitudeMin : OpRewritePattern<NegativeMagnitudeMinOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(NegativeMagnitudeMinOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t smallerMagnitude = 0b10, negative = 0b1100;
    replaceByAvx512(op, rewriter, "range", {op.getBound().convertToDouble()},
                    {smallerMagnitude | negative});
    return success();
  }
};

} // namespace
} // namespace x86

namespace {

struct LowerToX86Pass : impl::LowerToX86PassBase<LowerToX86Pass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    TargetAttr target = targetOf(getOperation());
    RewritePatternSet patterns(context);
    patterns.add<x86::LowerStoreFence, x86::LowerDot, x86::LowerPack, x86::LowerRounding,
                 x86::LowerExponent, x86::LowerMantissa, x86::LowerNegativeMagnitudeMin>(context);
    x86::populateDynamicPermutePatterns(patterns, target);
    x86::populateExtremumPatterns(patterns, target);
    getOperation().walk([&](Operation *op) {
      if (isa<StoreFenceOp, DotOp, PackOp, DynamicPermuteOp, ExponentOp, MantissaOp,
              NegativeMagnitudeMinOp>(op))
        ++numInstructions;
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns), refusalListener());
    numConfigurations += x86::lowerAmxConfigurations(getOperation());
  }
};

} // namespace
} // namespace kgen
