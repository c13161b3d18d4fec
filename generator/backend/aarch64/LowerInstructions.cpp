// NEON's dot products and matrix products, and the pass kgen-lower-to-aarch64.
#include "backend/aarch64/Passes.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/RefusalListener.h"

#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERTOAARCH64PASS
#include "backend/aarch64/Passes.h.inc"

namespace {

struct LowerDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    VectorType sums = op.getType(), factors = op.getA().getType();
    int64_t lanes = sums.getNumElements(), bits = lanes * sums.getElementTypeBitWidth();
    bool ofBytes = factors.getElementType().isInteger(8) && sums.getElementType().isInteger(32);
    if ((!ofBytes && !factors.getElementType().isBF16()) || (bits != 64 && bits != 128))
      return rewriter.notifyMatchFailure(op, "no dot product of NEON");
    bool areOfOneSign = op.getBothSigned() || op.getBothUnsigned();
    std::string name = "bfdot";
    if (ofBytes)
      name = op.getBothSigned() ? "sdot" : op.getBothUnsigned() ? "udot" : "usdot";
    name = "llvm.aarch64.neon." + name + ".v" + std::to_string(lanes) + (ofBytes ? "i32" : "f32") +
           ".v" + std::to_string(factors.getNumElements()) + (ofBytes ? "i8" : "bf16");
    // LLVM looks for a lane in the last operand.
    bool turns = !ofBytes || areOfOneSign;
    Value first = turns ? op.getB() : op.getA(), last = turns ? op.getA() : op.getB();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, sums, rewriter.getStringAttr(name),
                                                       ValueRange{op.getSum(), first, last});
    return success();
  }
};

struct LowerMatrixDot : OpRewritePattern<MatrixDotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatrixDotOp op, PatternRewriter &rewriter) const override {
    StringRef name = op.getA().getType().getElementType().isBF16() ? "bfmmla"
                     : op.getBothSigned()                          ? "smmla.v4i32.v16i8"
                     : op.getBothUnsigned()                        ? "ummla.v4i32.v16i8"
                                                                   : "usmmla.v4i32.v16i8";
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr("llvm.aarch64.neon." + name),
        ValueRange{op.getSum(), op.getA(), op.getB()});
    return success();
  }
};

struct LowerToAArch64Pass : impl::LowerToAArch64PassBase<LowerToAArch64Pass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerDot, LowerMatrixDot>(&getContext());
    auto count = [&] {
      int64_t dots = 0;
      getOperation().walk([&](Operation *op) { dots += isa<DotOp, MatrixDotOp>(op); });
      return dots;
    };
    int64_t before = count();
    walkAndApplyPatterns(getOperation(), std::move(patterns), refusalListener());
    numDots += before - count();
  }
};

} // namespace
} // namespace kgen
