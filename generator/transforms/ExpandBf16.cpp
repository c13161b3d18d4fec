// bf16 as integers of 16 bits: the same bits on every CPU, and no calls into a compiler's library.
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Transforms/Passes.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_EXPANDBF16PASS
#include "transforms/Passes.h.inc"

namespace {

/// Vectors that are put together from scalars: LLVM has code for i16, but takes bf16 through the
/// stack.
template <typename Op> struct AsIntegers : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    VectorType type = op.getType();
    if (!type.getElementType().isBF16())
      return rewriter.notifyMatchFailure(op, "not a vector of bf16");
    Type bits = rewriter.getI16Type();
    SmallVector<Value> sources;
    for (Value source : op->getOperands()) {
      Type wanted = bits;
      if (auto vector = dyn_cast<VectorType>(source.getType()))
        wanted = vector.clone(bits);
      sources.push_back(arith::BitcastOp::create(rewriter, op.getLoc(), wanted, source));
    }
    auto made = Op::create(rewriter, op.getLoc(), TypeRange(type.clone(bits)), sources);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, made);
    return success();
  }
};

struct ExpandBf16Pass : impl::ExpandBf16PassBase<ExpandBf16Pass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<AsIntegers<vector::BroadcastOp>, AsIntegers<vector::FromElementsOp>>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace kgen
