// Replaces exp, log, pow, remainders, sin, cos, tanh, erf, gelu, sigmoid and softplus by
// arithmetic, and refuses what would become a call into libm.
#include "dialect/kgen/Kgen.h"
#include "transforms/Passes.h"
#include "transforms/math/Functions.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

namespace kgen {

#define GEN_PASS_DEF_EXPANDMATHPASS
#include "transforms/Passes.h.inc"

using namespace mlir;

namespace {

using Formula = vecmath::Real (*)(vecmath::Real, const vecmath::Site &);

template <typename Op> struct Expand : OpRewritePattern<Op> {
  Expand(MLIRContext *context, Formula formula, bool hasFma)
      : OpRewritePattern<Op>(context), formula(formula), hasFma(hasFma) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (isa<ShapedType>(type) && !isa<VectorType>(type))
      return rewriter.notifyMatchFailure(op, "not a scalar or a vector");
    Type element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    vecmath::Site site{rewriter, op.getLoc(), type, hasFma};
    rewriter.replaceOp(op, formula({site, op->getOperand(0)}, site).value());
    return success();
  }

  Formula formula;
  bool hasFma;
};

/// Functions of two numbers.
template <typename Op> struct ExpandBinary : OpRewritePattern<Op> {
  using Binary = vecmath::Real (*)(vecmath::Real, vecmath::Real, const vecmath::Site &);

  ExpandBinary(MLIRContext *context, Binary formula, bool hasFma)
      : OpRewritePattern<Op>(context), formula(formula), hasFma(hasFma) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getType();
    Type element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type) || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    vecmath::Site site{rewriter, op.getLoc(), type, hasFma};
    rewriter.replaceOp(op, formula({site, op.getLhs()}, {site, op.getRhs()}, site).value());
    return success();
  }

  Binary formula;
  bool hasFma;
};

struct ExpandExpOrZero : OpRewritePattern<ExpOrZeroOp> {
  ExpandExpOrZero(MLIRContext *context, bool hasFma) : OpRewritePattern(context), hasFma(hasFma) {}

  LogicalResult matchAndRewrite(ExpOrZeroOp op, PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type) || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    vecmath::Site site{rewriter, op.getLoc(), type, hasFma};
    double least = op.getLeast().convertToDouble();
    rewriter.replaceOp(op, vecmath::expOrZero({site, op.getOperand()}, least, site).value());
    return success();
  }

  bool hasFma;
};

/// What every target has instructions for, or what LLVM expands inline.
bool needsNoLibrary(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::SqrtOp, math::CopySignOp, math::FloorOp,
             math::CeilOp, math::TruncOp, math::RoundEvenOp, math::FmaOp, math::IsNaNOp,
             math::IsInfOp, math::IsFiniteOp, math::IsNormalOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp>(op);
}

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    TargetAttr target = targetOf(getOperation());
    populateExpandMathPatterns(patterns, target && target.hasFeature("fma"));
    populateExtremumPatterns(patterns, target);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult rest = getOperation()->walk([](Operation *op) {
      if (!isFunction(op) || needsNoLibrary(op))
        return WalkResult::advance();
      op->emitOpError("has no vector code for ") << op->getResult(0).getType();
      return WalkResult::interrupt();
    });
    if (rest.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace

void populateExpandMathPatterns(RewritePatternSet &patterns, bool hasFma) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expand<math::ExpOp>>(context, vecmath::exp, hasFma);
  patterns.add<Expand<math::LogOp>>(context, vecmath::log, hasFma);
  patterns.add<Expand<math::TanhOp>>(context, vecmath::tanh, hasFma);
  patterns.add<Expand<math::ErfOp>>(context, vecmath::erf, hasFma);
  patterns.add<Expand<GeluOp>>(context, vecmath::gelu, hasFma);
  patterns.add<Expand<SigmoidOp>>(context, vecmath::sigmoid, hasFma);
  patterns.add<Expand<SoftplusOp>>(context, vecmath::softplus, hasFma);
  patterns.add<ExpandExpOrZero>(context, hasFma);
  patterns.add<Expand<math::ExpM1Op>>(context, vecmath::expm1, hasFma);
  patterns.add<Expand<math::Log1pOp>>(context, vecmath::log1p, hasFma);
  patterns.add<ExpandBinary<math::PowFOp>>(context, vecmath::pow, hasFma);
  patterns.add<ExpandBinary<arith::RemFOp>>(context, vecmath::remainder, hasFma);
  patterns.add<Expand<math::SinOp>>(context, vecmath::sin, hasFma);
  patterns.add<Expand<math::CosOp>>(context, vecmath::cos, hasFma);
}

} // namespace kgen
