#include "ops/quantization/ByteProduct.h"

#include "ops/Conversion.h"
#include "ops/product/MatMulLowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {

bool isZero(const WeightData &zeroPoints) {
  return zeroPoints && llvm::all_of(*zeroPoints, [](char byte) { return byte == 0; });
}

std::string refusalOfSize(bool isLeft, size_t d, size_t rank, bool isAroundZero) {
  if (!isLeft || d + 1 >= rank)
    return "columns, and what is added up, are numbers";
  return isAroundZero ? "" : "B's zero point is not known to be 0, so rows are summed up";
}

namespace {

/// Both sides as they are multiplied, over [batch..., m, n, k].
struct Operands {
  Factor left, right;
  TensorShape result, whole;
};

/// Matrices of which one may be transposed.
Operands transposedOperands(LoweringContext &c, const Side &left, const Side &right) {
  Operands operands;
  auto factor = [&](const Side &side, unsigned row, unsigned column) {
    const TensorShape &shape = c.input(side.matrix).shape;
    operands.result.push_back(shape.dim(side.isLeft == side.isTransposed ? 1 : 0));
    Factor result{c.operand(side.matrix), c.input(side.matrix).element, {row, column}};
    if (side.isTransposed)
      std::swap(result.dims[0], result.dims[1]);
    return result;
  };
  operands.left = factor(left, 0, 2);
  operands.right = factor(right, 2, 1);
  operands.whole = operands.result;
  return operands;
}

/// A tensor with one element for all, or with one for each row (column), which `spread` finds.
ProductParameter parameter(LoweringContext &c, size_t input,
                           llvm::function_ref<Factor(size_t)> spread) {
  if (!c.hasInput(input))
    return {};
  if (c.input(input).elementCount() == 1)
    return {c.reshape(c.operand(input), {}), {}};
  Factor factor = spread(input);
  return {factor.value, SmallVector<int64_t>(factor.dims.begin(), factor.dims.end())};
}

} // namespace

Value byteProduct(LoweringContext &c, const Side &left, const Side &right,
                  std::optional<size_t> divisor) {
  std::optional<ProductOperands> plain;
  Operands operands;
  if (left.isTransposed || right.isTransposed) {
    operands = transposedOperands(c, left, right);
  } else {
    plain.emplace(c, left.matrix, right.matrix);
    operands = {plain->left(), plain->right(), plain->result(), plain->whole()};
  }
  auto spread = [&](const Side &side, size_t input) -> Factor {
    if (plain)
      return side.isLeft ? plain->forRows(input) : plain->forColumns(input);
    return {c.operand(input), c.input(input).element, {side.isLeft ? 0U : 1U}};
  };
  const unsigned rank = operands.result.size();
  auto side = [&](const Side &numbers, const Factor &factor) {
    auto find = [&](size_t input) { return spread(numbers, input); };
    return QuantizedFactor{
        factor.value, AffineMap::getMultiDimMapWithTargets(rank + 1, factor.dims, c.b.getContext()),
        isUnsigned(factor.element), parameter(c, numbers.zeroPoint, find),
        parameter(c, numbers.scale, find)};
  };
  QuantizedFactor a = side(left, operands.left), b = side(right, operands.right);
  Type element = a.scales.tensor ? Type(c.b.getF32Type()) : Type(c.b.getI32Type());
  AffineMap result = c.b.getMultiDimIdentityMap(rank + 1).dropResult(rank);
  Value by = divisor ? c.reshape(c.operand(*divisor), {}) : Value();
  Value product =
      QuantizedProductOp::create(c.b, c.loc, a, b, c.empty(operands.result, element), result, by);
  return c.withShape(product, operands.whole);
}

Value roundedToBytes(LoweringContext &c, Value x) {
  const ElementType type = c.resultType().element;
  SmallVector<Value> operands = {x};
  auto zero = c.constantIntegers(resultZeroPoint);
  if (!zero)
    operands.push_back(c.reshape(c.operand(resultZeroPoint), {}));
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    if (zero)
      return quantizedAround(b, loc, v[0], zero->front(), type);
    Value offset = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                           extended(b, loc, v[1], type, b.getI32Type()));
    return quantized(b, loc, v[0], offset, type);
  };
  auto result = cast<RankedTensorType>(x.getType()).clone(toMlir(type, c.b.getContext()));
  return c.elementwise(result, operands, body);
}

} // namespace kgen
