// Operations of math that are others with constants: idioms and fusion see the arithmetic.
#include "dialect/kgen/EmptyTensor.h"
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// Few products, whose roundings are within 4 ulp together.
constexpr int64_t leastShortPower = -3, mostShortPower = 8;

/// Rewrites one operation on scalars or tensors. In types of 16 bits, several operations are
/// computed in f32 and rounded once.
class MathForm {
public:
  explicit MathForm(Operation *op)
      : op(op), b(op), loc(op->getLoc()), type(op->getResult(0).getType()) {
    unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    computeType = bits < 32 ? withElement(b.getF32Type()) : type;
  }

  void rewrite() {
    if (auto clamp = dyn_cast<math::ClampFOp>(op))
      return replace(clamped(clamp));
    if (isa<math::RsqrtOp>(op))
      return replace(inverse(math::SqrtOp::create(b, loc, operand())));
    if (auto power = dyn_cast<math::FPowIOp>(op))
      expandPower(power);
  }

private:
  Type withElement(Type element) const {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(element)) : element;
  }

  Value operand() {
    Value x = op->getOperand(0);
    return computeType == type ? x : arith::ExtFOp::create(b, loc, computeType, x).getResult();
  }

  Value number(Type of, double value) {
    Type element = getElementTypeOrSelf(of);
    TypedAttr scalar = b.getFloatAttr(element, value);
    auto shaped = dyn_cast<ShapedType>(of);
    if (shaped && !shaped.hasStaticShape()) {
      Value filler = arith::ConstantOp::create(b, loc, scalar),
            empty = emptyLike(b, loc, op->getOperand(0), element);
      return linalg::FillOp::create(b, loc, filler, empty).getResult(0);
    }
    return arith::ConstantOp::create(b, loc,
                                     shaped ? DenseElementsAttr::get(shaped, scalar) : scalar);
  }

  Value inverse(Value x) { return arith::DivFOp::create(b, loc, number(x.getType(), 1.0), x); }

  void replace(Value value) {
    if (value.getType() != type)
      value = arith::TruncFOp::create(b, loc, type, value);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  /// First the lower bound, then the upper one. (Upstream's description, and its expansion, have
  /// them the other way round, which makes the upper bound of everything.)
  Value clamped(math::ClampFOp clamp) {
    Value low = arith::MaximumFOp::create(b, loc, clamp.getValue(), clamp.getMin());
    return arith::MinimumFOp::create(b, loc, low, clamp.getMax());
  }

  void expandPower(math::FPowIOp power) {
    APInt constant;
    auto shaped = dyn_cast<ShapedType>(type);
    bool isStatic = !shaped || shaped.hasStaticShape();
    if (!isStatic || !matchPattern(power.getRhs(), m_ConstantInt(&constant)))
      return;
    int64_t exponent = constant.getSExtValue();
    if (exponent >= leastShortPower && exponent <= mostShortPower)
      return replace(shortPower(exponent));
    constexpr int64_t limit = int64_t(1) << 24; // up to there, each integer is a number of f32
    if (exponent > -limit && exponent < limit)
      replace(math::PowFOp::create(b, loc, operand(),
                                   number(computeType, static_cast<double>(exponent))));
  }

  /// By squaring; of the inverse, because the inverse of a power overflows earlier.
  Value shortPower(int64_t exponent) {
    if (exponent == 0)
      return number(type, 1.0);
    Value square = exponent < 0 ? inverse(operand()) : operand(), result;
    for (int64_t left = std::abs(exponent);; left /= 2) {
      if (left % 2)
        result = result ? arith::MulFOp::create(b, loc, square, result).getResult() : square;
      if (left == 1)
        return result;
      square = arith::MulFOp::create(b, loc, square, square);
    }
  }

  Operation *op;
  OpBuilder b;
  Location loc;
  Type type, computeType;
};

} // namespace

void expandMathForms(func::FuncOp function) {
  SmallVector<Operation *> found;
  function.walk([&](Operation *op) {
    if (isa<math::ClampFOp, math::RsqrtOp, math::FPowIOp>(op))
      found.push_back(op);
  });
  for (Operation *op : found)
    MathForm(op).rewrite();
}

} // namespace kgen
