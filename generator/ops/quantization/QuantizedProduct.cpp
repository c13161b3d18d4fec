// Products of 8-bit matrices with zero points: MatMulInteger, QLinearMatMul.
#include "ops/TypeRules.h"
#include "ops/product/MatMulLowering.h"
#include "ops/quantization/ByteProduct.h"

using namespace mlir;

namespace kgen {
namespace {

const std::vector<ElementType> scaleTypes = {ElementType::f32, ElementType::bf16, ElementType::f16};

/// True if input i is one for all, one for each row (column), or has the matrix's shape but for 1
/// in the dimension that is summed over.
bool checkParameterShape(const InferenceContext &context, const Side &side, size_t i,
                         const char *what) {
  const TensorType &type = context.input(i), &matrix = context.input(side.matrix);
  if (type.elementCount() == 1)
    return true;
  TensorShape wanted = matrix.shape;
  const size_t rank = wanted.size();
  Dim count = rank < 2 ? Dim(1) : wanted.dim(rank - (side.isLeft ? 2 : 1));
  if (rank > 1)
    wanted.setDim(rank - (side.isLeft ? 1 : 2), 1);
  if (rank > 1 && (type.shape == wanted || type.shape == TensorShape(std::vector<Dim>{count})))
    return true;
  std::string expected = "must have one element";
  if (rank > 1)
    expected += ", " + count.str() + " for the " + (side.isLeft ? "rows" : "columns") + " of " +
                matrix.str() + ", or the shape " + TensorType{type.element, wanted}.str();
  context.error(context.node.op->name + "'s " + what + " (input " + std::to_string(i + 1) + ") " +
                expected + "; it is " + type.str());
  return false;
}

bool checkSide(const InferenceContext &context, const Side &side) {
  const std::string name = side.isLeft ? "A" : "B";
  const std::string op = context.node.op->name;
  if (!checkInputType(context, side.matrix, op + "'s " + name, byteTypes()))
    return false;
  if (side.scale != Side::absent) {
    const TensorType &scale = context.input(side.scale), &zero = context.input(side.zeroPoint);
    if (!checkInputType(context, side.scale, op + "'s scale of " + name, scaleTypes) ||
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

/// A's rows and batches: B's columns, and what is added up, are numbers.
SymbolicDims rowsOf(const Side &left, const Side &right) {
  return {
      "rows and batches of A, where B's zero point is 0",
      [=](const InferenceContext &c, size_t input, size_t d) -> std::string {
        bool isAroundZero = !c.hasInput(right.zeroPoint) || isZero(c.constantData(right.zeroPoint));
        return refusalOfSize(input == left.matrix, d, c.input(input).shape.size(), isAroundZero);
      }};
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
  Value result = byteProduct(c, integerLeft, integerRight);
  c.setResult(c.withShape(result, c.resultShape()));
}

// QLinearMatMul

const Side linearLeft = {0, 1, 2, true}, linearRight = {3, 4, 5, false};

std::vector<TensorType> inferQLinearMatMul(InferenceContext &context) {
  auto shape = inferProduct(context, linearLeft.matrix, linearRight.matrix);
  if (!shape || !checkSide(context, linearLeft) || !checkSide(context, linearRight) ||
      !checkInputType(context, resultScale, "QLinearMatMul's scale of the result",
                      {context.input(linearLeft.scale).element}) ||
      !checkInputType(context, linearRight.scale, "QLinearMatMul's scale of B",
                      {context.input(linearLeft.scale).element}) ||
      !checkInputType(context, resultZeroPoint, "QLinearMatMul's zero point of the result",
                      byteTypes()))
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

void lowerQLinearMatMul(LoweringContext &c) {
  Value result = roundedToBytes(c, byteProduct(c, linearLeft, linearRight, resultScale));
  c.setResult(c.withShape(result, c.resultShape()));
}

} // namespace

std::vector<Operator> quantizedProductOperators() {
  Operator integer;
  integer.name = "MatMulInteger";
  integer.summary = "MatMul of A - zero point and B - zero point (inputs 3 and 4, of one element, "
                    "or one for each row of A and column of B); i32, wraps";
  integer.minInputs = 2;
  integer.maxInputs = 4;
  integer.sumsProducts = true;
  integer.types = byteTypes();
  integer.symbolicDims = rowsOf(integerLeft, integerRight);
  integer.infer = inferMatMulInteger;
  integer.lower = lowerMatMulInteger;

  Operator linear;
  linear.name = "QLinearMatMul";
  linear.summary = "inputs: A, scale, zero point, B, scale, zero point, result's scale, zero "
                   "point: saturate(round(sum * (scaleA * scaleB / scale)) + zero point), in f32, "
                   "ties to even, of MatMulInteger's sum; scales are f32, bf16 or f16";
  linear.minInputs = linear.maxInputs = 8;
  linear.sumsProducts = true;
  linear.types = byteTypes();
  linear.symbolicDims = rowsOf(linearLeft, linearRight);
  linear.infer = inferQLinearMatMul;
  linear.lower = lowerQLinearMatMul;
  return {integer, linear};
}

} // namespace kgen
