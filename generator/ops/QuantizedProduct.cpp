// Products of 8-bit matrices with zero points: MatMulInteger, QLinearMatMul.
#include "ops/Conversion.h"
#include "ops/Product.h"
#include "ops/TypeRules.h"
#include "ops/ZeroPoints.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/STLExtras.h>

#include <cstring>

using namespace mlir;

namespace kgen {
namespace {

const std::vector<ElementType> byteTypes = {ElementType::i8, ElementType::u8};

/// Whether input i is one for all, one for each row (column), or has the matrix's shape but for 1
/// in the dimension that is summed over.
bool checkParameterShape(const InferenceContext &context, const Side &side, size_t i,
                         const char *what) {
  const TensorType &type = context.input(i), &matrix = context.input(side.matrix);
  if (type.elementCount() == 1)
    return true;
  std::vector<int64_t> wanted = matrix.shape;
  if (wanted.size() > 1)
    wanted[wanted.size() - (side.isLeft ? 1 : 2)] = 1;
  int64_t count = matrix.shape.size() < 2 ? 1
                  : side.isLeft           ? matrix.shape[matrix.shape.size() - 2]
                                          : matrix.shape.back();
  if (matrix.shape.size() > 1 && (type.shape == wanted || type.shape == std::vector{count}))
    return true;
  std::string expected = "must have one element";
  if (matrix.shape.size() > 1)
    expected += ", " + std::to_string(count) + " for the " + (side.isLeft ? "rows" : "columns") +
                " of " + matrix.str() + ", or the shape " + TensorType{type.element, wanted}.str();
  context.error(context.node.op->name + "'s " + what + " (input " + std::to_string(i + 1) + ") " +
                expected + "; it is " + type.str());
  return false;
}

bool checkSide(const InferenceContext &context, const Side &side) {
  const std::string name = side.isLeft ? "A" : "B";
  const std::string op = context.node.op->name;
  if (!checkInputType(context, side.matrix, op + "'s " + name, byteTypes))
    return false;
  if (side.scale != Side::absent) {
    const TensorType &scale = context.input(side.scale), &zero = context.input(side.zeroPoint);
    if (!checkInputType(context, side.scale, op + "'s scale of " + name, {ElementType::f32}) ||
        !checkParameterShape(context, side, side.scale, ("scale of " + name).c_str()))
      return false;
    if (scale.shape != zero.shape) {
      context.error(op + "'s scale and zero point of " + name + " must have one shape, they are " +
                    scale.str() + " and " + zero.str());
      return false;
    }
  }
  return !context.hasInput(side.zeroPoint) ||
         (checkInputType(context, side.zeroPoint, op + "'s zero point of " + name,
                         {context.input(side.matrix).element}) &&
          checkParameterShape(context, side, side.zeroPoint, ("zero point of " + name).c_str()));
}

// MatMulInteger

const Side integerLeft = {0, Side::absent, 2, true}, integerRight = {1, Side::absent, 3, false};

std::vector<TensorType> inferMatMulInteger(InferenceContext &context) {
  auto shape = inferProduct(context, 0, 1);
  if (!shape || !checkSide(context, integerLeft) || !checkSide(context, integerRight))
    return {};
  return {{ElementType::i32, *shape}};
}

void lowerMatMulInteger(LoweringContext &c) {
  Value result = integerProduct(c, integerLeft, integerRight);
  c.setResult(c.reshape(result, c.resultTensor().getShape()));
}

// QLinearMatMul

const Side linearLeft = {0, 1, 2, true}, linearRight = {3, 4, 5, false};
constexpr size_t resultScale = 6, resultZeroPoint = 7;

std::vector<TensorType> inferQLinearMatMul(InferenceContext &context) {
  auto shape = inferProduct(context, linearLeft.matrix, linearRight.matrix);
  if (!shape || !checkSide(context, linearLeft) || !checkSide(context, linearRight) ||
      !checkInputType(context, resultScale, "QLinearMatMul's scale of the result",
                      {ElementType::f32}) ||
      !checkInputType(context, resultZeroPoint, "QLinearMatMul's zero point of the result",
                      byteTypes))
    return {};
  for (size_t i : {resultScale, resultZeroPoint})
    if (context.input(i).elementCount() != 1) {
      context.error("QLinearMatMul's scale and zero point of the result must have one element; "
                    "input " +
                    std::to_string(i + 1) + " is " + context.input(i).str());
      return {};
    }
  return {{context.input(resultZeroPoint).element, *shape}};
}

/// (scale of A * scale of B) / scale of the result, rounded to f32 twice, at build time or at run
/// time alike. One of A's and B's scales has one element, so that the result is a scalar, a row or
/// a column.
Value factorOf(LoweringContext &c, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, c.b.getF32Type());
  auto a = constantFloats(c, linearLeft.scale), b = constantFloats(c, linearRight.scale),
       y = constantFloats(c, resultScale);
  if (a && b && y) {
    std::vector<float> factors(std::max(a->size(), b->size()));
    for (size_t i = 0; i < factors.size(); ++i) {
      float both = (*a)[a->size() == 1 ? 0 : i] * (*b)[b->size() == 1 ? 0 : i];
      factors[i] = both / y->front();
    }
    return arith::ConstantOp::create(c.b, c.loc,
                                     DenseElementsAttr::get(type, ArrayRef<float>(factors)));
  }
  SmallVector<Value> operands = {
      c.reshape(c.operand(linearLeft.scale), parameterShape(c.input(linearLeft.scale), true)),
      c.reshape(c.operand(linearRight.scale), parameterShape(c.input(linearRight.scale), false)),
      c.reshape(c.operand(resultScale), {})};
  return c.elementwise(type, operands, [](OpBuilder &builder, mlir::Location loc, ValueRange v) {
    Value both = arith::MulFOp::create(builder, loc, v[0], v[1]);
    return arith::DivFOp::create(builder, loc, both, v[2]).getResult();
  });
}

/// The factors for each result: one tensor, or, where rows and columns have scales, three tensors
/// whose quotient is computed for each element.
SmallVector<Value> factorsOf(LoweringContext &c) {
  const TensorType &a = c.input(linearLeft.scale), &b = c.input(linearRight.scale);
  SmallVector<int64_t> rows = parameterShape(a, true), columns = parameterShape(b, false);
  if (a.elementCount() == 1)
    return {factorOf(c, columns)};
  if (b.elementCount() == 1)
    return {factorOf(c, rows)};
  return {c.reshape(c.operand(linearLeft.scale), rows),
          c.reshape(c.operand(linearRight.scale), columns), c.reshape(c.operand(resultScale), {})};
}

void lowerQLinearMatMul(LoweringContext &c) {
  const ElementType type = c.resultType().element;
  Value product = integerProduct(c, linearLeft, linearRight);
  SmallVector<Value> operands = {product};
  SmallVector<Value> factors = factorsOf(c);
  operands.append(factors);
  auto zero = c.constantIntegers(resultZeroPoint);
  bool hasZeroPoint = !zero || zero->front() != 0;
  if (hasZeroPoint)
    operands.push_back(c.reshape(c.operand(resultZeroPoint), {}));
  auto body = [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
    Value sum = arith::SIToFPOp::create(b, loc, b.getF32Type(), v[0]), factor = v[1];
    if (factors.size() == 3)
      factor = arith::DivFOp::create(b, loc, arith::MulFOp::create(b, loc, v[1], v[2]), v[3]);
    Value zeroPoint;
    if (hasZeroPoint)
      zeroPoint = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                          extended(b, loc, v.back(), type, b.getI32Type()));
    return quantized(b, loc, arith::MulFOp::create(b, loc, sum, factor), zeroPoint, type);
  };
  auto matrix = cast<RankedTensorType>(product.getType()).clone(toMlir(type, c.b.getContext()));
  c.setResult(c.reshape(c.elementwise(matrix, operands, body), c.resultTensor().getShape()));
}

} // namespace

std::vector<Operator> quantizedProductOperators() {
  Operator integer;
  integer.name = "MatMulInteger";
  integer.summary = "MatMul of A - zero point and B - zero point (inputs 3 and 4, of one element, "
                    "or one for each row of A and column of B); i32, wraps";
  integer.minInputs = 2;
  integer.maxInputs = 4;
  integer.types = byteTypes;
  integer.infer = inferMatMulInteger;
  integer.lower = lowerMatMulInteger;

  Operator linear;
  linear.name = "QLinearMatMul";
  linear.summary = "inputs: A, scale, zero point, B, scale, zero point, result's scale, zero "
                   "point: saturate(round(sum * (scaleA * scaleB / scale)) + zero point), in f32, "
                   "ties to even, of MatMulInteger's sum";
  linear.minInputs = linear.maxInputs = 8;
  linear.types = byteTypes;
  linear.infer = inferQLinearMatMul;
  linear.lower = lowerQLinearMatMul;
  return {integer, linear};
}

} // namespace kgen
