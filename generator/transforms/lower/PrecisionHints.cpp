#include "transforms/lower/PrecisionHints.h"
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen {

bool isLowPrecisionFunction(Operation *op) {
  return op && resultPrecisionBits(op) != 0 &&
         isa<math::ExpOp, math::ExpM1Op, math::LogOp, math::TanhOp, math::ErfOp, math::PowFOp,
             math::SinOp, math::CosOp, math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp,
             math::SinhOp, math::CoshOp, math::AsinhOp, math::AcoshOp, math::AtanhOp, GeluOp,
             GeluTanhOp, SigmoidOp, SigmoidProductOp, SoftplusOp, ExpOrZeroOp>(op);
}

namespace {

/// True if `value` is the result of a low-precision function, or a product or quotient of one
/// within `depth` operations: exact ties between two numbers of 16 bits are then accidental.
bool dependsOnLowPrecision(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (isLowPrecisionFunction(op))
    return true;
  if (depth == 0 || !isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return dependsOnLowPrecision(operand, depth - 1); });
}

/// True if NaNs in a constant have zeros in the bits that a rounding to bf16 drops.
bool hasCanonicalNans(Operation *op) {
  constexpr unsigned droppedBits = 16;
  auto isCanonical = [](const APFloat &x) {
    return !x.isNaN() || x.bitcastToAPInt().countr_zero() >= droppedBits;
  };
  FloatAttr number;
  DenseFPElementsAttr numbers;
  if (matchPattern(op, m_Constant(&number)))
    return isCanonical(number.getValue());
  return matchPattern(op, m_Constant(&numbers)) &&
         llvm::all_of(numbers.getValues<APFloat>(), isCanonical);
}

/// True if NaNs of the result are those of operands, or the default NaN of the CPU.
bool passesNans(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             arith::SelectOp, vector::BroadcastOp, vector::ShapeCastOp>(op) ||
         isMathFunction(op);
}

/// The values whose NaNs have no more significant bits than bf16. Arithmetic passes on the NaN of
/// an operand or produces the default one.
class CanonicalNans {
public:
  bool contains(Value value) {
    auto [known, isNew] = found.try_emplace(value, true);
    if (!isNew)
      return known->second;
    bool result = compute(value);
    found[value] = result;
    return result;
  }

private:
  bool compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<IntegerType>(getElementTypeOrSelf(value.getType())))
      return op != nullptr;
    if (auto extension = dyn_cast<arith::ExtFOp>(op))
      return getElementTypeOrSelf(extension.getIn()).isBF16();
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
      return true;
    if (op->hasTrait<OpTrait::ConstantLike>())
      return hasCanonicalNans(op);
    return passesNans(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return contains(operand); });
  }

  llvm::DenseMap<Value, bool> found;
};

bool mayBeContracted(arith::ArithFastMathInterface op) {
  return op && arith::bitEnumContainsAll(op.getFastMathFlagsAttr().getValue(),
                                         arith::FastMathFlags::contract);
}

/// The defining product of `operand` if it may be contracted and has no other use; else null.
arith::MulFOp productOf(Value operand) {
  auto product = operand.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && mayBeContracted(product) ? product : arith::MulFOp();
}

} // namespace

void markTies(Operation *module) {
  constexpr unsigned maxDepth = 4; // operations between the function and the rounding
  module->walk([](arith::TruncFOp op) {
    SmallVector<Value> sources{op.getIn()};
    if (Operation *last = op.getIn().getDefiningOp())
      llvm::append_range(sources, last->getOperands());
    if (llvm::any_of(sources, [](Value source) { return dependsOnLowPrecision(source, maxDepth); }))
      op->setAttr(resultPrecisionAttrName, UnitAttr::get(op.getContext()));
  });
}

void markCanonicalNans(Operation *module) {
  CanonicalNans nans;
  bool appliesToAll = module->hasAttr(canonicalNansAttrName);
  module->walk([&](arith::TruncFOp op) {
    if (getElementTypeOrSelf(op.getType()).isBF16() && getElementTypeOrSelf(op.getIn()).isF32() &&
        (appliesToAll || nans.contains(op.getIn())))
      op->setAttr(canonicalNansAttrName, UnitAttr::get(op.getContext()));
  });
}

void fuseProducts(Operation *module) {
  IRRewriter rewriter(module->getContext());
  module->walk([&](Operation *sum) {
    if (!isa<arith::AddFOp, arith::SubFOp>(sum) ||
        !mayBeContracted(dyn_cast<arith::ArithFastMathInterface>(sum)))
      return;
    Value left = sum->getOperand(0), right = sum->getOperand(1);
    bool isDifference = isa<arith::SubFOp>(sum);
    arith::MulFOp product = productOf(left);
    bool isRight = !product;
    if (isRight && !(product = productOf(right)))
      return;
    rewriter.setInsertionPoint(sum);
    auto negated = [&](Value value) -> Value {
      return arith::NegFOp::create(rewriter, sum->getLoc(), value);
    };
    Value factor = product.getLhs(), other = isRight ? left : right;
    if (isDifference)
      (isRight ? factor : other) = negated(isRight ? factor : other);
    rewriter.replaceOpWithNewOp<math::FmaOp>(sum, factor, product.getRhs(), other);
    rewriter.eraseOp(product);
  });
}

} // namespace kgen
