// Pow. Exponents that are constant and small numbers become products, quotients and square roots.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <llvm/ADT/APFloat.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

/// The exponent, if it is one constant for all elements.
std::optional<double> constantExponent(const LoweringContext &c) {
  const GraphValue &value = c.graph.values[c.node.inputs[1]];
  if (value.kind != ValueKind::weight || !value.data || value.type.elementCount() != 1)
    return std::nullopt;
  if (auto integers = c.constantIntegers(1))
    return static_cast<double>((*integers)[0]);
  auto constant = c.operand(1).getDefiningOp<arith::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!dense)
    return std::nullopt;
  llvm::APFloat number = dense.getSplatValue<llvm::APFloat>();
  bool loses = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

Value number(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// sqrt(x) but for pow(-0, 0.5) = +0 and pow(-inf, 0.5) = +inf.
Value root(OpBuilder &b, Location loc, Value x) {
  Type type = x.getType();
  double infinity = std::numeric_limits<double>::infinity();
  Value positive = arith::AddFOp::create(b, loc, x, number(b, loc, type, 0.0));
  Value isMinusInfinity =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, number(b, loc, type, -infinity));
  Value argument =
      arith::SelectOp::create(b, loc, isMinusInfinity, number(b, loc, type, infinity), positive);
  return math::SqrtOp::create(b, loc, argument);
}

/// Exponents of shortPower: few products, whose roundings are within 4 ulp together.
bool isShort(double y) {
  bool isRoot = y == -0.5 || y == 0.25 || y == 0.75;
  return isRoot || (y >= -3.0 && y <= 8.0 && y == std::floor(y)) ||
         (y >= -1.5 && y <= 4.5 && y - 0.5 == std::floor(y));
}

/// pow(x, y) of an exponent that needs no logarithm.
class ShortPower {
public:
  ShortPower(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value build(Value x, double y) const {
    if (y == 0.0)
      return number(b, loc, x.getType(), 1.0);
    if (y == -0.5)
      return inverse(root(b, loc, x));
    // The power of the inverse: the inverse of a power overflows earlier.
    if (y < 0.0)
      return build(inverse(x), -y);
    auto whole = static_cast<unsigned>(y);
    if (y == whole)
      return product(x, whole);
    Value fraction = root(b, loc, x);
    if (y < 0.5)
      return root(b, loc, fraction);
    if (y == 0.75)
      return times(fraction, root(b, loc, fraction));
    // Of negative numbers the root is NaN, but for -0 and -inf.
    return whole == 0 ? fraction : times(product(math::AbsFOp::create(b, loc, x), whole), fraction);
  }

private:
  Value times(Value left, Value right) const { return arith::MulFOp::create(b, loc, left, right); }

  Value inverse(Value x) const {
    return arith::DivFOp::create(b, loc, number(b, loc, x.getType(), 1.0), x);
  }

  /// By squaring.
  Value product(Value x, unsigned count) const {
    if (count == 1)
      return x;
    Value half = product(x, count / 2), square = times(half, half);
    return count % 2 ? times(square, x) : square;
  }

  OpBuilder &b;
  Location loc;
};

/// The type that a power of two types is computed in. Integers of 32 bits and more are numbers of
/// f64; where the base is narrow, everything is f32.
Type computeTypeOf(ElementType base, ElementType exponent, MLIRContext *context) {
  if (base == ElementType::bf16 || base == ElementType::f16)
    return Float32Type::get(context);
  auto isDouble = [](ElementType type) {
    return type == ElementType::f64 || (!isFloat(type) && byteWidth(type) >= 4);
  };
  return isDouble(base) || isDouble(exponent) ? Type(Float64Type::get(context))
                                              : Type(Float32Type::get(context));
}

/// The element as a float of type `type`.
Value asFloat(OpBuilder &b, Location loc, Value x, ElementType from, Type type) {
  if (!isa<IntegerType>(x.getType()))
    return tpp::scalar::convert(b, loc, x, type);
  if (isUnsigned(from))
    return arith::UIToFPOp::create(b, loc, type, x);
  return arith::SIToFPOp::create(b, loc, type, x);
}

/// x to the power y of integers, by squaring; products wrap. With a negative y, it is what is left
/// of the quotient 1 / x^-y without its fraction, and 0 for an x of 0. An exponent without a sign
/// (`isUnsigned`) may have all bits of its type.
Value wholePower(OpBuilder &b, Location loc, Value x, Value y, bool isUnsigned) {
  Type type = x.getType();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto equals = [&](Value left, int64_t right) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, left, integer(right));
  };
  Value one = integer(1), result = one, square = x;
  unsigned bits = type.getIntOrFloatBitWidth() - !isUnsigned;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value digit =
        arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, y, integer(bit)), one);
    Value factor = arith::SelectOp::create(b, loc, equals(digit, 1), square, one);
    result = arith::MulIOp::create(b, loc, result, factor);
    square = arith::MulIOp::create(b, loc, square, square);
  }
  if (isUnsigned)
    return result;
  // -1 to a negative power is what it is to the same power without its sign bit.
  Value isUnit = arith::OrIOp::create(b, loc, equals(x, 1), equals(x, -1));
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, y, integer(0));
  Value fraction = arith::SelectOp::create(b, loc, isUnit, result, integer(0));
  return arith::SelectOp::create(b, loc, negative, fraction, result);
}

void lowerPow(LoweringContext &c) {
  ElementType base = c.input(0).element, power = c.input(1).element;
  auto exponent = constantExponent(c);
  if (exponent && isFloat(base) && isShort(*exponent)) {
    auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
      return ShortPower(b, loc).build(x[0], *exponent);
    };
    return c.setResult(c.elementwise(c.resultTensor(), c.operand(0), body));
  }
  Type type = computeTypeOf(base, power, c.b.getContext());
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    if (!isFloat(base) && !isFloat(power)) {
      Type own = x[0].getType();
      Type wider = c.b.getIntegerType(
          std::max(own.getIntOrFloatBitWidth(), x[1].getType().getIntOrFloatBitWidth()));
      bool isFull = isUnsigned(power) && x[1].getType() == wider;
      Value result = wholePower(b, loc, extended(b, loc, x[0], base, wider),
                                extended(b, loc, x[1], power, wider), isFull);
      return tpp::scalar::convert(b, loc, result, own);
    }
    Value result = math::PowFOp::create(b, loc, asFloat(b, loc, x[0], base, type),
                                        asFloat(b, loc, x[1], power, type));
    if (!isFloat(base))
      return castElement(b, loc, result, ElementType::f64, base);
    return tpp::scalar::convert(b, loc, result, x[0].getType());
  };
  c.setResult(c.elementwise(c.resultTensor(), {c.operand(0), c.operand(1)}, body));
}

/// The result has the base's type; the exponent may have another one.
std::vector<TensorType> inferPow(InferenceContext &context) {
  std::vector<ElementType> exponents = floatAndIntegerTypes();
  if (!checkInputType(context, 1, "the exponent", exponents))
    return {};
  auto shape = broadcastShapes(context.input(0).shape, context.input(1).shape);
  if (shape)
    return {{context.input(0).element, *shape}};
  context.error("the shapes of Pow's inputs do not broadcast: " + context.input(0).str() + " and " +
                context.input(1).str());
  return {};
}

} // namespace

std::vector<Operator> powerOperators() {
  Operator op;
  op.name = "Pow";
  op.summary = "A to the power B, with broadcasting, within 4 ulp; special cases as in C's "
               "pow; integers wrap, and B may have another type than A";
  op.minInputs = op.maxInputs = 2;
  op.types = floatTypes();
  op.types.insert(op.types.end(), {ElementType::i32, ElementType::i64});
  op.symbolicDims = SymbolicDims::any();
  op.infer = inferPow;
  op.lower = lowerPow;
  return {op};
}

} // namespace kgen
