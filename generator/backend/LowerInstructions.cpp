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

/// Builds products of groups that are multiplied position by position. A lane of the sums takes the
/// group of `a` and the group of `b` with these numbers.
template <typename OpT>
Value expand(OpT op, PatternRewriter &rewriter, int64_t group, ArrayRef<int64_t> groupsOfA,
             ArrayRef<int64_t> groupsOfB) {
  Location loc = op.getLoc();
  VectorType sums = op.getType();
  bool areFloats = isa<FloatType>(sums.getElementType()),
       isAUnsigned = op.getA().getType().getElementType().isInteger(8) && !op.getBothSigned();
  auto widened = [&](Value factor, ArrayRef<int64_t> groups, int64_t position,
                     bool isUnsigned) -> Value {
    SmallVector<int64_t> positions;
    for (int64_t number : groups)
      positions.push_back(number * group + position);
    Value part = vector::ShuffleOp::create(rewriter, loc, factor, factor, positions);
    if (areFloats)
      return arith::ExtFOp::create(rewriter, loc, sums, part);
    return isUnsigned ? arith::ExtUIOp::create(rewriter, loc, sums, part).getResult()
                      : arith::ExtSIOp::create(rewriter, loc, sums, part).getResult();
  };
  Value sum = op.getSum();
  for (int64_t position = 0; position < group; ++position) {
    Value a = widened(op.getA(), groupsOfA, position, isAUnsigned),
          b = widened(op.getB(), groupsOfB, position, op.getBothUnsigned());
    if (areFloats)
      sum = arith::AddFOp::create(rewriter, loc, sum, arith::MulFOp::create(rewriter, loc, a, b));
    else
      sum = arith::AddIOp::create(rewriter, loc, sum, arith::MulIOp::create(rewriter, loc, a, b));
  }
  return sum;
}

struct LowerDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    int64_t lanes = op.getType().getNumElements();
    auto all = llvm::to_vector(llvm::seq<int64_t>(lanes));
    int64_t group = op.getA().getType().getNumElements() / lanes;
    rewriter.replaceOp(op, expand(op, rewriter, group, all, all));
    return success();
  }
};

struct LowerMatrixDot : OpRewritePattern<MatrixDotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatrixDotOp op, PatternRewriter &rewriter) const override {
    int64_t group = op.getA().getType().getNumElements() / 2;
    rewriter.replaceOp(op, expand(op, rewriter, group, {0, 0, 1, 1}, {0, 1, 0, 1}));
    return success();
  }
};

struct LowerInstructionsPass : impl::LowerInstructionsPassBase<LowerInstructionsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LowerStoreFence, LowerDot, LowerMatrixDot>(&getContext());
    getOperation().walk([&](Operation *op) {
      numFences += isa<StoreFenceOp>(op);
      numDots += isa<DotOp, MatrixDotOp>(op);
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns), refusalListener());
  }
};

} // namespace
} // namespace kgen
