// Expands mathematical functions into arithmetic, and rejects what would become a call into libm.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "dialect/kgen/RefusalListener.h"
#include "math/Functions.h"
#include "math/Int64Division.h"
#include "math/IntegerPower.h"
#include "transforms/lower/Passes.h"
#include "transforms/lower/PrecisionHints.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/WalkPatternRewriteDriver.h>

#include <functional>
#include <limits>

namespace kgen {

#define GEN_PASS_DEF_EXPANDMATHPASS
#include "transforms/lower/Passes.h.inc"

using namespace mlir;

namespace {

using vecmath::Emitter;
using vecmath::FloatValue;
using vecmath::Mask;
using vecmath::MathTarget;

/// Replaces a function of f32 or f64 by the result of `formula`.
template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Formula = std::function<FloatValue(Op, const Emitter &)>;

  Expand(MLIRContext *context, Formula formula, MathTarget machine)
      : OpRewritePattern<Op>(context), formula(std::move(formula)), machine(machine) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (isa<ShapedType>(type) && !isa<VectorType>(type))
      return rewriter.notifyMatchFailure(op, "not a scalar or a vector");
    Type element = getElementTypeOrSelf(type);
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Emitter emitter{rewriter, op.getLoc(), type, machine, resultPrecisionBits(op)};
    rewriter.replaceOp(op, formula(op, emitter).value());
    return success();
  }

  Formula formula;
  MathTarget machine;
};

template <typename Op>
void add(RewritePatternSet &patterns, FloatValue (*formula)(FloatValue, const Emitter &),
         MathTarget machine) {
  auto ofOp = [=](Op op, const Emitter &emitter) {
    return formula({emitter, op->getOperand(0)}, emitter);
  };
  patterns.add<Expand<Op>>(patterns.getContext(), ofOp, machine);
}

/// Adds the expansion of a function of two operands.
template <typename Op>
void add(RewritePatternSet &patterns,
         FloatValue (*formula)(FloatValue, FloatValue, const Emitter &), MathTarget machine) {
  auto ofOp = [=](Op op, const Emitter &emitter) {
    return formula({emitter, op->getOperand(0)}, {emitter, op->getOperand(1)}, emitter);
  };
  patterns.add<Expand<Op>>(patterns.getContext(), ofOp, machine);
}

FloatValue expandExpOrZero(ExpOrZeroOp op, const Emitter &emitter) {
  return vecmath::expOrZero({emitter, op.getOperand()}, op.getCutoff().convertToDouble(),
                            op->hasAttr(nonPositiveAttrName), emitter);
}

FloatValue expandExp2OrZero(Exp2OrZeroOp op, const Emitter &emitter) {
  return vecmath::exp2OrZero({emitter, op.getOperand()}, op.getCutoff().convertToDouble(), emitter);
}

FloatValue expandExpM1(math::ExpM1Op op, const Emitter &emitter) {
  auto formula = op->hasAttr(nonPositiveAttrName) ? vecmath::expm1OfNegative : vecmath::expm1;
  return formula({emitter, op.getOperand()}, emitter);
}

/// The lower bound is applied first; a NaN stays.
FloatValue expandClamp(math::ClampFOp op, const Emitter &emitter) {
  Value low = arith::MaximumFOp::create(emitter.builder, emitter.loc, op.getValue(), op.getMin());
  return {emitter, arith::MinimumFOp::create(emitter.builder, emitter.loc, low, op.getMax())};
}

FloatValue expandFma(math::FmaOp op, const Emitter &emitter) {
  return vecmath::fusedMultiplyAdd({emitter, op.getA()}, {emitter, op.getB()}, {emitter, op.getC()},
                                   emitter);
}

FloatValue expandFPowI(math::FPowIOp op, const Emitter &emitter) {
  return vecmath::powerOf({emitter, op.getLhs()}, op.getRhs(), emitter);
}

struct ExpandIPowI : OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::IPowIOp op, PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a scalar or a vector");
    rewriter.replaceOp(op, vecmath::integerPower(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

/// The one function of two results.
struct SplitSincos : OpRewritePattern<math::SincosOp> {
  SplitSincos(MLIRContext *context, MathTarget machine)
      : OpRewritePattern(context), machine(machine) {}

  LogicalResult matchAndRewrite(math::SincosOp op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType(), element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type) || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Emitter emitter{rewriter, op.getLoc(), type, machine, resultPrecisionBits(op)};
    FloatValue x(emitter, op.getOperand());
    Value results[] = {vecmath::sin(x, emitter).value(), vecmath::cos(x, emitter).value()};
    rewriter.replaceOp(op, results);
    return success();
  }

  MathTarget machine;
};

/// A question about a number, answered by comparisons of its magnitude.
template <typename Op> struct ExpandQuestion : OpRewritePattern<Op> {
  using Answer = Mask (*)(FloatValue magnitude);

  ExpandQuestion(MLIRContext *context, Answer answer)
      : OpRewritePattern<Op>(context), answer(answer) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Type type = op.getOperand().getType(), element = getElementTypeOrSelf(type);
    if (isa<TensorType>(type) || (!element.isF32() && !element.isF64()))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Emitter emitter{rewriter, op.getLoc(), type};
    rewriter.replaceOp(op, answer(FloatValue(emitter, op.getOperand()).magnitude()).value());
    return success();
  }

  Answer answer;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

Mask isInfinite(FloatValue magnitude) { return magnitude == infinity; }
Mask isFinite(FloatValue magnitude) { return magnitude < infinity; }
Mask isNaN(FloatValue magnitude) { return magnitude.isNaN(); }
Mask isNormal(FloatValue magnitude) {
  double least = magnitude.where().isF64() ? std::numeric_limits<double>::min()
                                           : double(std::numeric_limits<float>::min());
  return magnitude < infinity && !(magnitude < least);
}

void addQuestions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ExpandQuestion<math::IsInfOp>>(context, isInfinite);
  patterns.add<ExpandQuestion<math::IsFiniteOp>>(context, isFinite);
  patterns.add<ExpandQuestion<math::IsNaNOp>>(context, isNaN);
  patterns.add<ExpandQuestion<math::IsNormalOp>>(context, isNormal);
}

struct ExpandInt64Division : OpRewritePattern<arith::DivSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivSIOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "not a vector of i64");
    rewriter.replaceOp(op, int64Quotient(rewriter, op.getLoc(), op.getLhs(), op.getRhs()));
    return success();
  }
};

/// True if every target has an instruction for the operation, or LLVM expands it inline.
bool needsNoLibrary(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::SqrtOp, math::CopySignOp, math::FloorOp,
             math::CeilOp, math::TruncOp, math::RoundEvenOp, math::FmaOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp>(op);
}

/// True for arithmetic that no target has in its type: any in bf16, functions in f16. Bodies of
/// templates have it; what other graphs compute is in f32 before.
bool isComputedInF32(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      !op->hasTrait<OpTrait::Elementwise>() ||
      isa<arith::BitcastOp, arith::SelectOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
          arith::UIToFPOp>(op))
    return false;
  bool isFunction = isMathFunction(op) && !needsNoLibrary(op) &&
                    isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  auto isNarrow = [&](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isBF16() || (isFunction && element.isF16());
  };
  return llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

/// Extends the operands of such operations to f32 and rounds their results.
void computeInF32(Operation *root) {
  SmallVector<Operation *> narrow;
  root->walk([&](Operation *op) {
    if (isComputedInF32(op))
      narrow.push_back(op);
  });
  OpBuilder b(root->getContext());
  auto isShort = [](Type type) { return type.isBF16() || type.isF16(); };
  auto inF32 = [&](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(b.getF32Type())) : Type(b.getF32Type());
  };
  for (Operation *op : narrow) {
    b.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (Type type = operand.get().getType(); isShort(getElementTypeOrSelf(type)))
        operand.set(arith::ExtFOp::create(b, op->getLoc(), inF32(type), operand.get()));
    b.setInsertionPointAfter(op);
    for (OpResult result : op->getResults())
      if (Type type = result.getType(); isShort(getElementTypeOrSelf(type))) {
        result.setType(inF32(type));
        auto rounded = arith::TruncFOp::create(b, op->getLoc(), type, result);
        result.replaceAllUsesExcept(rounded, rounded);
      }
  }
}

void addFunctions(RewritePatternSet &patterns, MathTarget machine) {
  add<math::ExpOp>(patterns, vecmath::exp, machine);
  add<math::LogOp>(patterns, vecmath::log, machine);
  add<math::TanhOp>(patterns, vecmath::tanh, machine);
  add<math::ErfOp>(patterns, vecmath::erf, machine);
  add<GeluOp>(patterns, vecmath::gelu, machine);
  add<GeluTanhOp>(patterns, vecmath::geluTanh, machine);
  add<SigmoidOp>(patterns, vecmath::sigmoid, machine);
  add<SigmoidProductOp>(patterns, vecmath::sigmoidProduct, machine);
  add<SoftplusOp>(patterns, vecmath::softplus, machine);
  add<math::Log1pOp>(patterns, vecmath::log1p, machine);
  add<math::PowFOp>(patterns, vecmath::pow, machine);
  add<arith::RemFOp>(patterns, vecmath::remainder, machine);
  add<math::SinOp>(patterns, vecmath::sin, machine);
  add<math::CosOp>(patterns, vecmath::cos, machine);
  add<math::TanOp>(patterns, vecmath::tan, machine);
  add<math::AsinOp>(patterns, vecmath::asin, machine);
  add<math::AcosOp>(patterns, vecmath::acos, machine);
  add<math::AtanOp>(patterns, vecmath::atan, machine);
  add<math::SinhOp>(patterns, vecmath::sinh, machine);
  add<math::CoshOp>(patterns, vecmath::cosh, machine);
  add<math::AsinhOp>(patterns, vecmath::asinh, machine);
  add<math::AcoshOp>(patterns, vecmath::acosh, machine);
  add<math::AtanhOp>(patterns, vecmath::atanh, machine);
  add<math::Exp2Op>(patterns, vecmath::exp2, machine);
  add<math::Log2Op>(patterns, vecmath::log2, machine);
  add<math::Log10Op>(patterns, vecmath::log10, machine);
  add<math::ErfcOp>(patterns, vecmath::erfc, machine);
  add<math::CbrtOp>(patterns, vecmath::cbrt, machine);
  add<math::RsqrtOp>(patterns, vecmath::rsqrt, machine);
  add<math::Atan2Op>(patterns, vecmath::atan2, machine);
  add<math::RoundOp>(patterns, vecmath::round, machine);
  patterns.add<Expand<math::ClampFOp>>(patterns.getContext(), expandClamp, machine);
  patterns.add<Expand<math::FPowIOp>>(patterns.getContext(), expandFPowI, machine);
  patterns.add<ExpandIPowI>(patterns.getContext());
  patterns.add<SplitSincos>(patterns.getContext(), machine);
  if (!machine.hasFma)
    patterns.add<Expand<math::FmaOp>>(patterns.getContext(), expandFma, machine);
  patterns.add<Expand<math::ExpM1Op>>(patterns.getContext(), expandExpM1, machine);
  patterns.add<Expand<ExpOrZeroOp>>(patterns.getContext(), expandExpOrZero, machine);
  patterns.add<Expand<Exp2OrZeroOp>>(patterns.getContext(), expandExp2OrZero, machine);
}

struct ExpandMathPass : impl::ExpandMathPassBase<ExpandMathPass> {
  using ExpandMathPassBase::ExpandMathPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    TargetAttr target = targetOf(getOperation());
    MathTarget machine = MathTarget::get(target);
    machine.hasFma |= fused;
    computeInF32(getOperation());
    if (machine.lookupLanes != 0)
      markTies(getOperation());
    markCanonicalNans(getOperation());
    if (machine.hasFma)
      fuseProducts(getOperation());
    addFunctions(patterns, machine);
    addQuestions(patterns);
    populateMinMaxPatterns(patterns);
    if (target && target.cpu().hasI64Conversion)
      patterns.add<ExpandInt64Division>(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (isMathFunction(op) && !needsNoLibrary(op))
        ++numFunctions;
    });
    walkAndApplyPatterns(getOperation(), std::move(patterns), refusalListener());
    WalkResult check = getOperation()->walk([](Operation *op) {
      if (!isMathFunction(op) || needsNoLibrary(op))
        return WalkResult::advance();
      op->emitOpError("has no vector code for ") << op->getResult(0).getType();
      return WalkResult::interrupt();
    });
    if (check.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace kgen
