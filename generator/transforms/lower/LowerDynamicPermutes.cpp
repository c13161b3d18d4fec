// Lanes by numbers in a register: the shuffles of AVX2 and AVX-512 that take them.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {
namespace {

struct ExpandPermute : OpRewritePattern<PermuteOp> {
  ExpandPermute(MLIRContext *context, bool takesTwo)
      : OpRewritePattern(context), takesTwo(takesTwo) {}

  LogicalResult matchAndRewrite(PermuteOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getType();
    int64_t lanes = type.getNumElements();
    Value from = op.getFrom(), places = op.getPlaces();
    auto call = [&](StringRef name, ValueRange operands) -> Value {
      return LLVM::CallIntrinsicOp::create(rewriter, loc, type, rewriter.getStringAttr(name),
                                           operands)
          .getResult(0);
    };
    bool isWide = lanes == 16;
    StringRef ofOne = isWide ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps",
              ofTwo = isWide ? "llvm.x86.avx512.vpermi2var.ps.512"
                             : "llvm.x86.avx512.vpermi2var.ps.256";
    if (op.getFrom().getType() == type) {
      rewriter.replaceOp(op, call(ofOne, {from, places}));
      return success();
    }
    auto half = [&](int64_t first) -> Value {
      return vector::ExtractStridedSliceOp::create(rewriter, loc, from, first, lanes, int64_t(1));
    };
    Value lower = half(0), upper = half(lanes);
    if (takesTwo) {
      rewriter.replaceOp(op, call(ofTwo, {lower, places, upper}));
      return success();
    }
    Value last = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(cast<VectorType>(places.getType()),
                               rewriter.getI32IntegerAttr(static_cast<int32_t>(lanes - 1))));
    Value isUpper = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt, places, last);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isUpper, call(ofOne, {upper, places}),
                                                 call(ofOne, {lower, places}));
    return success();
  }

  bool takesTwo; ///< whether there are shuffles of two registers
};

} // namespace

void populatePermutePatterns(RewritePatternSet &patterns, TargetAttr target) {
  patterns.add<ExpandPermute>(patterns.getContext(), target && target.hasFeature("avx512vl"));
}

} // namespace kgen
