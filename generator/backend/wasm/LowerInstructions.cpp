// WebAssembly's products of pairs of i16, and the pass kgen-lower-to-wasm.
#include "backend/wasm/Passes.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/RefusalListener.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERTOWASMPASS
#include "backend/wasm/Passes.h.inc"

namespace {

constexpr int64_t factors = 8; ///< of i16 in a vector

struct LowerDot : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    VectorType type = op.getA().getType();
    if (!type.getElementType().isInteger(16) || type.getNumElements() != factors)
      return rewriter.notifyMatchFailure(op, "no dot product of WebAssembly");
    auto dot = LLVM::CallIntrinsicOp::create(rewriter, op.getLoc(), op.getType(),
                                             rewriter.getStringAttr("llvm.wasm.dot"),
                                             ValueRange{op.getA(), op.getB()});
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, op.getSum(), dot.getResults());
    return success();
  }
};

/// A minimum or maximum that ignores NaN, which LLVM would call libm for.
template <typename Op> struct LowerExtremum : OpRewritePattern<Op> {
  LowerExtremum(MLIRContext *context, arith::CmpFPredicate predicate)
      : OpRewritePattern<Op>(context), predicate(predicate) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    mlir::Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    Value isSelected = arith::CmpFOp::create(rewriter, loc, predicate, y, x);
    Value ordered = arith::SelectOp::create(rewriter, loc, isSelected, y, x);
    Value isNan = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::UNO, x, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isNan, y, ordered);
    return success();
  }

  arith::CmpFPredicate predicate;
};

/// Like LowerExtremum, but over the lanes of a vector, of which halves are compared.
struct SplitReduction : OpRewritePattern<vector::ReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ReductionOp op, PatternRewriter &rewriter) const override {
    bool isMax = op.getKind() == vector::CombiningKind::MAXNUMF;
    if (!isMax && op.getKind() != vector::CombiningKind::MINNUMF)
      return rewriter.notifyMatchFailure(op, "no minimum or maximum that ignores NaN");
    mlir::Location loc = op.getLoc();
    auto extremum = [&](Value x, Value y) -> Value {
      return isMax ? arith::MaxNumFOp::create(rewriter, loc, x, y).getResult()
                   : arith::MinNumFOp::create(rewriter, loc, x, y).getResult();
    };
    Value vector = op.getVector(), result = op.getAcc();
    int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
    for (; lanes > 1 && lanes % 2 == 0; lanes /= 2) {
      auto first = llvm::to_vector(llvm::seq<int64_t>(0, lanes / 2));
      auto second = llvm::to_vector(llvm::seq<int64_t>(lanes / 2, lanes));
      vector = extremum(vector::ShuffleOp::create(rewriter, loc, vector, vector, first),
                        vector::ShuffleOp::create(rewriter, loc, vector, vector, second));
    }
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value one = vector::ExtractOp::create(rewriter, loc, vector, lane);
      result = result ? extremum(result, one) : one;
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// A choice between vectors of one float is one between numbers: with relaxed-simd, LLVM 22 makes a
/// maximum of it, of which it takes the lane by a call of libm.
struct ScalarSelect : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getNumElements() != 1 ||
        !isa<FloatType>(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "no vector of one float");
    auto lane = [&](Value value) -> Value {
      return isa<VectorType>(value.getType())
                 ? vector::ExtractOp::create(rewriter, op.getLoc(), value, int64_t(0)).getResult()
                 : value;
    };
    Value chosen = arith::SelectOp::create(rewriter, op.getLoc(), lane(op.getCondition()),
                                           lane(op.getTrueValue()), lane(op.getFalseValue()));
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, chosen);
    return success();
  }
};

/// Hides from LLVM that a choice between vectors is a minimum or maximum. With relaxed-simd it
/// would take the instruction for these, of which an engine may return either operand if one is
/// NaN.
void hideChoice(arith::SelectOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type || !isa<FloatType>(type.getElementType()) ||
      !op.getCondition().getDefiningOp<arith::CmpFOp>())
    return;
  OpBuilder builder(op);
  auto fence = LLVM::CallIntrinsicOp::create(builder, op.getLoc(), type,
                                             builder.getStringAttr("llvm.arithmetic.fence"),
                                             ValueRange{op.getTrueValue()});
  op.getTrueValueMutable().assign(fence.getResult(0));
}

struct LowerToWasmPass : impl::LowerToWasmPassBase<LowerToWasmPass> {
  void runOnOperation() override {
    SmallVector<Operation *> prefetches;
    getOperation().walk([&](Operation *op) {
      numDots += isa<DotOp>(op);
      if (isa<LLVM::Prefetch, memref::PrefetchOp>(op))
        prefetches.push_back(op);
    });
    numPrefetches += prefetches.size();
    for (Operation *prefetch : prefetches)
      prefetch->erase();
    RewritePatternSet reductions(&getContext()), patterns(&getContext());
    reductions.add<SplitReduction>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(reductions), refusalListener());
    getOperation().walk(
        [&](Operation *op) { numExtrema += isa<arith::MaxNumFOp, arith::MinNumFOp>(op); });
    patterns.add<LowerDot>(&getContext());
    patterns.add<LowerExtremum<arith::MaxNumFOp>>(&getContext(), arith::CmpFPredicate::OGT);
    patterns.add<LowerExtremum<arith::MinNumFOp>>(&getContext(), arith::CmpFPredicate::OLT);
    walkAndApplyPatterns(getOperation(), std::move(patterns), refusalListener());
    getOperation().walk([&](DotOp) { --numDots; });
    RewritePatternSet choices(&getContext()); // extrema have become such
    choices.add<ScalarSelect>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(choices), refusalListener());
    if (TargetAttr target = targetOf(getOperation());
        target && target.getFeatures().contains("+relaxed-simd"))
      getOperation().walk([](arith::SelectOp op) { hideChoice(op); });
  }
};

} // namespace
} // namespace kgen
