// The sum over (a - za) * (b - zb) is computed as
//
//   sum(a * b) - za * (sum(b) - K * zb) - zb * sum(a)
//
// in i32, which is exact modulo 2^32: the contraction has the elements as they are, and what
// depends on constants only is computed here.
#include "ops/quantization/ZeroPoints.h"

#include "ops/Conversion.h"
#include "ops/FoldableInt32.h"
#include "ops/product/MatMulLowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/STLExtras.h>

#include <cstring>

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

SmallVector<int64_t> parameterShape(const TensorType &type, bool isLeft) {
  SmallVector<int64_t> shape(type.shape.begin(), type.shape.end());
  if (type.elementCount() == 1)
    return {};
  if (isLeft && shape.size() == 1)
    shape.push_back(1);
  return shape;
}

namespace {

/// The elements of a weight of type f32, bf16 or f16, or nothing if input i is none.
std::optional<std::vector<float>> constantFloats(const LoweringContext &c, size_t i) {
  WeightData data = c.constantData(i);
  if (!data)
    return std::nullopt;
  const ElementType type = c.input(i).element;
  const llvm::fltSemantics &format =
      cast<FloatType>(toMlir(type, c.b.getContext())).getFloatSemantics();
  const size_t width = byteWidth(type);
  std::vector<float> numbers;
  for (size_t at = 0; at < data->size(); at += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, data->data() + at, width);
    numbers.push_back(
        llvm::APFloat(format, llvm::APInt(8 * width, bits)).convertToDouble()); // exact
  }
  return numbers;
}

/// The zero point, or nothing if it is known to be 0.
std::optional<IntegerTerm> zeroPointOf(LoweringContext &c, const Side &side) {
  if (!c.hasInput(side.zeroPoint))
    return std::nullopt;
  const TensorType &type = c.input(side.zeroPoint);
  SmallVector<int64_t> shape = parameterShape(type, side.isLeft);
  if (auto constant = c.constantIntegers(side.zeroPoint)) {
    if (llvm::all_of(*constant, [](int64_t z) { return z == 0; }))
      return std::nullopt;
    return IntegerTerm::constant(shape, *constant);
  }
  return IntegerTerm::value(shape,
                            asInt32(c, c.reshape(c.operand(side.zeroPoint), shape), type.element));
}

/// The sums over k of a side's matrix, which is of `shape` where it is not transposed; k has size 1
/// in the result.
IntegerTerm sumsOver(LoweringContext &c, const Side &side, SmallVector<int64_t> shape) {
  size_t i = side.matrix, rank = shape.size();
  SmallVector<int64_t> kept(shape), dropped(shape);
  kept[rank - (side.isLeft ? 1 : 2)] = 1;
  size_t axis = rank - (side.isLeft != side.isTransposed ? 1 : 2);
  if (side.isTransposed) {
    std::swap(shape[rank - 1], shape[rank - 2]);
    dropped = shape;
  }
  dropped.erase(dropped.begin() + axis);
  if (auto constant = c.constantIntegers(i))
    return IntegerTerm::constant(kept, sumsOfConstant(*constant, shape, axis));
  Value matrix = c.reshape(c.operand(i), shape);
  AffineMap full = c.b.getMultiDimIdentityMap(shape.size());
  Value zero = c.filled(RankedTensorType::get(dropped, c.b.getI32Type()), 0.0);
  ElementType type = c.input(i).element;
  Value sums = c.generic(zero, matrix, {full, full.dropResult(axis)},
                         [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           Value x = extended(b, loc, v[0], type, b.getI32Type());
                           return arith::AddIOp::create(b, loc, v[1], x);
                         });
  return IntegerTerm::value(kept, c.reshape(sums, kept));
}

/// product - za * (sums of B's columns - K * zb) - zb * sums of A's rows, as [batch..., m, n].
Value corrected(LoweringContext &c, Value product, const ProductShape &s, const Side &left,
                const Side &right) {
  auto za = zeroPointOf(c, left), zb = zeroPointOf(c, right);
  SmallVector<Factors> products; // what is subtracted
  if (za) {
    IntegerTerm columns = sumsOver(c, right, SmallVector<int64_t>(s.b.begin(), s.b.end()));
    if (zb)
      columns = subtract(c, columns, multiply(c, IntegerTerm::constant({}, {*s.k.number()}), *zb));
    // One zero point for all rows: a row of products, which are often constants.
    if (za->elementCount() == 1)
      products.push_back({multiply(c, *za, columns)});
    else
      products.push_back({*za, columns});
  }
  if (zb)
    products.push_back({*zb, sumsOver(c, left, SmallVector<int64_t>(s.a.begin(), s.a.end()))});
  return subtractProducts(c, product, products);
}

/// The shape of a side's matrix as it is multiplied.
TensorShape shapeOf(const LoweringContext &c, const Side &side) {
  const TensorShape &shape = c.input(side.matrix).shape;
  if (side.isTransposed)
    return std::vector<Dim>{shape.dim(1), shape.dim(0)};
  return shape;
}

/// A product of matrices of which one may be transposed.
Value plainProduct(LoweringContext &c, const Side &left, const Side &right, const ProductShape &s) {
  if (!left.isTransposed && !right.isTransposed)
    return matrixProduct(c, left.matrix, right.matrix, c.b.getI32Type());
  auto factor = [&](const Side &side, unsigned row, unsigned column) {
    Factor result{c.operand(side.matrix), c.input(side.matrix).element, {row, column}};
    if (side.isTransposed)
      std::swap(result.dims[0], result.dims[1]);
    return result;
  };
  return contract(c, std::vector<Dim>{s.m, s.n}, factor(left, 0, 2), factor(right, 2, 1), s.k);
}

} // namespace

SmallVector<Value> scaleFactors(LoweringContext &c, const Side &left, const Side &right,
                                std::optional<size_t> divisor) {
  SmallVector<int64_t> rows = parameterShape(c.input(left.scale), true),
                       columns = parameterShape(c.input(right.scale), false);
  SmallVector<size_t> inputs{left.scale, right.scale};
  SmallVector<SmallVector<int64_t>> shapes{rows, columns};
  if (divisor) {
    inputs.push_back(*divisor);
    shapes.push_back({});
  }
  std::vector<std::vector<float>> known;
  if (rows.empty() || columns.empty())
    for (size_t input : inputs)
      if (auto numbers = constantFloats(c, input))
        known.push_back(*numbers);
  auto type = RankedTensorType::get(rows.empty() ? columns : rows, c.b.getF32Type());
  if (known.size() == inputs.size()) {
    std::vector<float> factors(type.getNumElements());
    for (size_t i = 0; i < factors.size(); ++i) {
      factors[i] = known[0][known[0].size() == 1 ? 0 : i] * known[1][known[1].size() == 1 ? 0 : i];
      if (divisor)
        factors[i] /= known[2].front();
    }
    return {arith::ConstantOp::create(c.b, c.loc,
                                      DenseElementsAttr::get(type, ArrayRef<float>(factors)))};
  }
  SmallVector<Value> operands;
  for (auto [input, shape] : llvm::zip_equal(inputs, shapes))
    operands.push_back(c.reshape(c.operand(input), shape));
  if (!rows.empty() && !columns.empty())
    return operands;
  return {c.elementwise(type, operands, [](OpBuilder &b, Location loc, ValueRange v) {
    Value both = arith::MulFOp::create(b, loc, v[0], v[1]);
    return v.size() > 2 ? arith::DivFOp::create(b, loc, both, v[2]).getResult() : both;
  })};
}

Value integerProduct(LoweringContext &c, const Side &left, const Side &right) {
  ProductShape s(shapeOf(c, left), shapeOf(c, right));
  Value product = plainProduct(c, left, right, s);
  return s.k == Dim(0) ? product : corrected(c, product, s, left, right);
}

Value lessZeroOfImage(LoweringContext &c, Value sums, int64_t zero,
                      const std::vector<int64_t> &numbers, int64_t filters) {
  SmallVector<int64_t> shape{filters, static_cast<int64_t>(numbers.size()) / filters};
  IntegerTerm ofFilters = IntegerTerm::constant({filters}, sumsOfConstant(numbers, shape, 1));
  return subtractProducts(c, sums, {{multiply(c, IntegerTerm::constant({}, {zero}), ofFilters)}});
}

Value requantized(LoweringContext &c, Value sums, const Side &left, const Side &right, size_t scale,
                  size_t zeroPoint, Value bias) {
  const ElementType type = c.resultType().element;
  SmallVector<Value> operands = {sums};
  if (bias)
    operands.push_back(bias);
  // One tensor, or three, whose quotient is computed for each element.
  SmallVector<Value> factors = scaleFactors(c, left, right, scale);
  operands.append(factors);
  auto zero = c.constantIntegers(zeroPoint);
  if (!zero)
    operands.push_back(c.reshape(c.operand(zeroPoint), {}));
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value sum = bias ? arith::AddIOp::create(b, loc, v[0], v[1]) : v[0];
    v = v.drop_front(bias ? 2 : 1);
    Value factor = v[0];
    if (factors.size() == 3)
      factor = arith::DivFOp::create(b, loc, arith::MulFOp::create(b, loc, v[0], v[1]), v[2]);
    Value real = arith::SIToFPOp::create(b, loc, b.getF32Type(), sum);
    Value quotient = arith::MulFOp::create(b, loc, real, factor);
    if (zero)
      return quantizedAround(b, loc, quotient, zero->front(), type);
    Value offset = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                           extended(b, loc, v.back(), type, b.getI32Type()));
    return quantized(b, loc, quotient, offset, type);
  };
  auto result = cast<RankedTensorType>(sums.getType()).clone(toMlir(type, c.b.getContext()));
  return c.elementwise(result, operands, body);
}

} // namespace kgen
