// Integers of few bits that are made of sums or of floats: by one multiply-add, or without a
// division.
#include "dialect/kgen/Kgen.h"
#include "transforms/idioms/ChannelNumbers.h"
#include "transforms/idioms/MultiplyAddSearch.h"
#include "transforms/idioms/NarrowBeforeTransposing.h"
#include "transforms/idioms/RaiseIdioms.h"
#include "transforms/idioms/ReciprocalScale.h"
#include "transforms/idioms/SelectedExtremum.h"
#include "transforms/idioms/ShorterSteps.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Transforms/GreedyPatternRewriteDriver.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

std::optional<double> floatOf(Value value) {
  APFloat number(0.0F);
  if (!value.getType().isF32() || !matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  return number.convertToDouble();
}

/// Replaces the division of a number that is rounded between two integers.
void replaceDivision(math::RoundEvenOp rounding) {
  auto upper = floatBound(rounding.getOperand());
  auto lower = upper ? floatBound(upper->x) : std::nullopt;
  // A NaN becomes the lower bound.
  bool isBounded = lower && !upper->isMax && lower->isMax && lower->replacesNan;
  auto quotient = isBounded ? lower->x.getDefiningOp<arith::DivFOp>() : arith::DivFOp();
  auto scale = quotient ? floatOf(quotient.getRhs()) : std::nullopt;
  if (!scale || !lower->number.isInteger() || !upper->number.isInteger())
    return;
  auto reciprocal = ReciprocalScale::get(
      static_cast<float>(*scale), lower->number.convertToDouble(), upper->number.convertToDouble());
  if (!reciprocal)
    return;
  OpBuilder b(rounding);
  rounding->setOperand(0, reciprocal->quotient(b, rounding.getLoc(), quotient.getLhs()));
}

/// Writes steps in the place of what computes an integer.
class StepWriter {
public:
  StepWriter(IRRewriter &rewriter, const QuantizedInteger &function)
      : b(rewriter), function(function) {}

  /// Returns the operation with what it reads now.
  linalg::GenericOp replace(linalg::GenericOp op, arith::TruncIOp result) {
    // Of all nodes that the steps stand for: none of them has vanished.
    SmallVector<mlir::Location> locations;
    for (Operation *inner : computing(result))
      locations.push_back(inner->getLoc());
    loc = b.getFusedLoc(locations);
    op = withChannelNumbers(op);
    b.setInsertionPoint(result);
    Value value = function.x;
    bool isRounded = false;
    for (auto [step, known] : llvm::zip_equal(function.steps, numbers)) {
      value = written(step, value, known);
      isRounded |= step.kind == Kind::toInteger;
      // Rounded numbers are below largestSafe.
      if (auto sum = value.getDefiningOp<arith::AddIOp>();
          sum && isRounded && std::abs(step.firstOf(0)) < largestSafe)
        sum.setOverflowFlags(arith::IntegerOverflowFlags::nsw);
    }
    result.setOperand(value);
    return op;
  }

private:
  using Kind = ScalarStep::Kind;

  /// The numbers of a step within the body; null: none.
  struct Known {
    Value first, second;
  };

  Value written(const ScalarStep &step, Value x, const Known &by) {
    switch (step.kind) {
    case Kind::toFloat:
      return arith::SIToFPOp::create(b, loc, b.getF32Type(), x);
    case Kind::add:
      if (step.isInteger)
        return arith::AddIOp::create(b, loc, x, by.first);
      return arith::AddFOp::create(b, loc, x, by.first);
    case Kind::multiply:
      return arith::MulFOp::create(b, loc, x, by.first);
    case Kind::divide:
      return arith::DivFOp::create(b, loc, x, by.first);
    case Kind::multiplyAdd:
      return math::FmaOp::create(b, loc, x, by.first, by.second);
    case Kind::multiplyByParts:
      return math::FmaOp::create(b, loc, x, by.first, arith::MulFOp::create(b, loc, x, by.second));
    case Kind::maximum:
      if (step.isInteger)
        return arith::MaxSIOp::create(b, loc, x, by.first);
      return arith::MaxNumFOp::create(b, loc, x, by.first);
    case Kind::minimum:
      if (step.isInteger)
        return arith::MinSIOp::create(b, loc, x, by.first);
      return arith::MinNumFOp::create(b, loc, x, by.first);
    case Kind::roundEven:
      return math::RoundEvenOp::create(b, loc, x);
    case Kind::toInteger:
      return arith::FPToSIOp::create(b, loc, b.getI32Type(), x);
    }
    llvm_unreachable("all kinds");
  }

  /// Makes numbers that differ by channel operands of the operation, and others constants.
  linalg::GenericOp withChannelNumbers(linalg::GenericOp op) {
    b.setInsertionPoint(op);
    SmallVector<Value> tensors;
    SmallVector<Value *> fromOperands;
    numbers.resize(function.steps.size());
    for (auto [step, known] : llvm::zip_equal(function.steps, numbers))
      for (auto [list, value] :
           {std::pair(&step.first, &known.first), std::pair(&step.second, &known.second)}) {
        if (list->empty())
          continue;
        bool isOne = llvm::all_equal(*list);
        Value constant = isOne ? scalar(list->front(), step.isInteger)
                               : channelNumbers(b, loc, *list, step.isInteger);
        if (isOne)
          *value = constant;
        else
          tensors.push_back(constant), fromOperands.push_back(value);
      }
    if (fromOperands.empty())
      return op;
    SmallVector<Value> arguments;
    op = withChannelOperands(b, op, *function.loop, tensors, arguments);
    for (auto [value, argument] : llvm::zip_equal(fromOperands, arguments))
      *value = argument;
    return op;
  }

  Value scalar(double number, bool isInteger) {
    if (isInteger)
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(number)));
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(number)));
  }

  IRRewriter &b;
  const QuantizedInteger &function;
  mlir::Location loc = b.getUnknownLoc();
  SmallVector<Known> numbers; ///< for each step
};

/// Removes operations whose results nothing reads, and operands that only those read.
void removeUnused(IRRewriter &rewriter, linalg::GenericOp op) {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*op.getBody())))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
  RewritePatternSet patterns(rewriter.getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  (void)applyOpPatternsGreedily({op.getOperation()}, std::move(patterns));
}

} // namespace

void raiseQuantizations(func::FuncOp func, IdiomLog &log) {
  TargetAttr target = targetOf(func);
  const bool hasFma = target && target.cpu().hasFma;
  SmallVector<linalg::GenericOp> found;
  func.walk([&](linalg::GenericOp op) {
    if (op.hasPureTensorSemantics() && op.getNumReductionLoops() == 0)
      found.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  for (linalg::GenericOp op : found) {
    for (auto result : llvm::to_vector(op.getBody()->getOps<arith::TruncIOp>())) {
      auto function = QuantizedInteger::match(op, result);
      if (!function)
        continue;
      if (auto shorter = shorterSteps(*function, hasFma)) {
        op = StepWriter(rewriter, *shorter).replace(op, result);
        log.applied(op->getLoc(), "fewer operations make bytes of the sums");
      }
      auto sums = dyn_cast<BlockArgument>(function->x);
      SmallVector<linalg::GenericOp> parts{op};
      if (sums)
        parts = narrowBeforeTransposing(rewriter, op, result, *op.getMatchingOpOperand(sums));
      for (linalg::GenericOp part : parts)
        removeUnused(rewriter, part);
      break;
    }
  }
  if (hasFma)
    func.walk([&](math::RoundEvenOp rounding) {
      if (isa<linalg::GenericOp>(rounding->getParentOp()))
        replaceDivision(rounding);
    });
}

} // namespace kgen
