// Operations that stand for instructions, for back ends without patterns of their own.
#include "backend/Passes.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/RefusalListener.h"

#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERINSTRUCTIONSPASS
#include "backend/Passes.h.inc"

namespace {

struct LowerStoreFence : OpRewritePattern<StoreFenceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StoreFenceOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::FenceOp>(op, LLVM::AtomicOrdering::seq_cst);
    return success();
  }
};

struct LowerDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType sums = op.getType(), factors = op.getA().getType();
    int64_t lanes = sums.getNumElements(), group = factors.getNumElements() / lanes;
    bool areBytes = factors.getElementType().isInteger(8),
         isAUnsigned = areBytes && !op.getBothSigned(), isBUnsigned = op.getBothUnsigned();
    auto widened = [&](Value factor, int64_t position, bool isUnsigned) -> Value {
      SmallVector<int64_t> positions;
      for (int64_t lane = 0; lane < lanes; ++lane)
        positions.push_back(lane * group + position);
      Value part = vector::ShuffleOp::create(rewriter, loc, factor, factor, positions);
      if (isa<FloatType>(sums.getElementType()))
        return arith::ExtFOp::create(rewriter, loc, sums, part);
      return isUnsigned ? arith::ExtUIOp::create(rewriter, loc, sums, part).getResult()
                        : arith::ExtSIOp::create(rewriter, loc, sums, part).getResult();
    };
    Value sum = op.getSum();
    for (int64_t position = 0; position < group; ++position) {
      Value a = widened(op.getA(), position, isAUnsigned),
            b = widened(op.getB(), position, isBUnsigned);
      if (isa<FloatType>(sums.getElementType()))
        sum = arith::AddFOp::create(rewriter, loc, sum, arith::MulFOp::create(rewriter, loc, a, b));
      else
        sum = arith::AddIOp::create(rewriter, loc, sum, arith::MulIOp::create(rewriter, loc, a, b));
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};

struct LowerInstructionsPass : impl::LowerInstructionsPassBase<LowerInstructionsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerStoreFence, LowerDot>(&getContext());
    getOperation().walk([&](Operation *op) {
      numFences += isa<StoreFenceOp>(op);
      numDots += isa<DotOp>(op);
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns), refusalListener());
  }
};

} // namespace
} // namespace kgen
