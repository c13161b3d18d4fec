#include "ops/product/MatMulLowering.h"

#include "ops/Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

Type accumulatorType(ElementType element, MLIRContext *context) {
  if (byteWidth(element) == 1)
    return IntegerType::get(context, 32);
  return computeType(toMlir(element, context));
}

Value addedProduct(OpBuilder &b, Location loc, TypedScalar left, TypedScalar right, Value sum) {
  if (isFloat(left.element))
    return arith::AddFOp::create(b, loc, sum,
                                 arith::MulFOp::create(b, loc, left.value, right.value));
  Value x = extended(b, loc, left.value, left.element, sum.getType());
  Value y = extended(b, loc, right.value, right.element, sum.getType());
  return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
}

Value contract(LoweringContext &c, const TensorShape &shape, const Factor &a, const Factor &b,
               const Dim &k) {
  Value zero = c.filled(shape, accumulatorType(a.element, c.b.getContext()), 0.0);
  if (k == Dim(0)) // the sum of nothing
    return zero;
  unsigned rank = shape.size();
  auto map = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(rank + 1, dims, c.b.getContext());
  };
  SmallVector<unsigned> resultDims;
  for (unsigned d = 0; d < rank; ++d)
    resultDims.push_back(d);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange v) -> Value {
    return addedProduct(builder, loc, {v[0], a.element}, {v[1], b.element}, v[2]);
  };
  auto factor = [&](const Factor &f) { return isFloat(f.element) ? c.factor(f.value) : f.value; };
  return c.generic(zero, {factor(a), factor(b)}, {map(a.dims), map(b.dims), map(resultDims)}, body);
}

static TensorShape leading(const TensorShape &shape) {
  TensorShape result;
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    result.push_back(shape.dim(i));
  return result;
}

static Dim lastOf(const TensorShape &shape, size_t behind = 0) {
  return shape.dim(shape.size() - 1 - behind);
}

ProductShape::ProductShape(const TensorShape &left, const TensorShape &right)
    : a(left), b(right), batch(*broadcastShapes(leading(left), leading(right))) {
  if (a.size() == 1)
    a.insertDim(0, 1);
  if (b.size() == 1)
    b.push_back(1);
  m = lastOf(a, 1);
  k = lastOf(a);
  n = lastOf(b);
}

TensorShape ProductShape::result() const {
  TensorShape shape = batch;
  shape.push_back(m);
  shape.push_back(n);
  return shape;
}

std::optional<TensorShape> inferProduct(const InferenceContext &context, size_t left,
                                        size_t right) {
  const TensorType &a = context.input(left), &b = context.input(right);
  auto mismatch = [&](const std::string &why) {
    context.error(context.node.op->name + " of " + a.str() + " and " + b.str() + ": " + why);
    return std::nullopt;
  };
  if (a.shape.empty() || b.shape.empty())
    return mismatch("a scalar cannot be multiplied as a matrix");
  Dim ka = lastOf(a.shape), kb = lastOf(b.shape, b.shape.size() == 1 ? 0 : 1);
  if (ka != kb)
    return mismatch("the inner dimensions " + ka.str() + " and " + kb.str() + " differ");
  auto shape = broadcastShapes(leading(a.shape), leading(b.shape));
  if (!shape)
    return mismatch("the leading dimensions do not broadcast");
  if (a.shape.size() > 1)
    shape->push_back(lastOf(a.shape, 1));
  if (b.shape.size() > 1)
    shape->push_back(lastOf(b.shape));
  return shape;
}

/// Fewer batch dimensions for the same product, where operands allow it.
static void simplifyBatch(ProductShape &s) {
  auto shape = [](std::initializer_list<Dim> dims) { return TensorShape(std::vector<Dim>(dims)); };
  if (leading(s.b).elements() == Dim(1) && !s.batch.isEmptyTensor()) {
    // One matrix B for all batches: the batches of A are more rows.
    s.m = s.rows();
    s.a = shape({s.m, s.k});
    s.b = shape({s.k, s.n});
    s.batch = {};
  } else if (leading(s.a) == s.batch && leading(s.b) == s.batch && !s.batch.empty()) {
    // Equal batches need one dimension only.
    Dim count = s.batch.elements();
    s.a = shape({count, s.m, s.k});
    s.b = shape({count, s.k, s.n});
    s.batch = shape({count});
  }
}

ProductOperands::ProductOperands(LoweringContext &c, size_t a, size_t b)
    : c(c), a(a), b(b), s(c.input(a).shape, c.input(b).shape), asked(s.result()) {
  simplifyBatch(s);
}

TensorShape ProductOperands::result() const {
  TensorShape shape;
  for (size_t i = 0; i < s.batch.size(); ++i)
    if (!s.batch.isUnit(i))
      shape.push_back(s.batch.dim(i));
  shape.push_back(s.m);
  shape.push_back(s.n);
  return shape;
}

/// The operand without unit batch dimensions, and where its remaining ones are in the result's,
/// which has no unit ones either.
Factor ProductOperands::batched(Factor operand, const TensorShape &shape, unsigned row,
                                unsigned column) const {
  TensorShape kept;
  size_t missing = s.batch.size() - (shape.size() - 2);
  unsigned position = 0;
  for (size_t i = 0; i < s.batch.size(); ++i) {
    if (s.batch.isUnit(i))
      continue;
    if (i >= missing && !shape.isUnit(i - missing)) {
      kept.push_back(shape.dim(i - missing));
      operand.dims.push_back(position);
    }
    ++position;
  }
  kept.push_back(lastOf(shape, 1));
  kept.push_back(lastOf(shape));
  operand.dims.append({row, column});
  operand.value = c.withShape(operand.value, kept);
  return operand;
}

Factor ProductOperands::left() const {
  return batched({c.withShape(c.operand(a), s.a), c.input(a).element, {}}, s.a, rowLoop(),
                 rowLoop() + 2);
}

Factor ProductOperands::right() const {
  return batched({c.withShape(c.operand(b), s.b), c.input(b).element, {}}, s.b, rowLoop() + 2,
                 rowLoop() + 1);
}

/// Drops the last loop but one (two) of a matrix of one column (row).
static Factor withoutUnit(LoweringContext &c, Factor factor, size_t back) {
  size_t at = factor.dims.size() - 1 - back;
  TensorShape shape;
  for (size_t i = 0; i < factor.dims.size(); ++i)
    if (i != at)
      shape.push_back(tensorShapeOf(factor.value).dim(i));
  factor.value = c.withShape(factor.value, shape);
  factor.dims.erase(factor.dims.begin() + at);
  return factor;
}

Factor ProductOperands::forColumns(size_t input) const {
  Factor factor{c.operand(input), c.input(input).element, {}};
  if (c.input(input).shape.size() < 2) {
    factor.dims = {rowLoop() + 1};
    return factor;
  }
  TensorShape shape = s.b;
  shape.setDim(shape.size() - 2, 1);
  factor.value = c.withShape(factor.value, shape);
  return withoutUnit(c, batched(factor, shape, rowLoop() + 2, rowLoop() + 1), /*back=*/1);
}

Factor ProductOperands::forRows(size_t input) const {
  Factor factor{c.operand(input), c.input(input).element, {}};
  TensorShape shape = s.a;
  shape.setDim(shape.size() - 1, 1);
  if (c.input(input).shape.size() < 2) {
    Dim rows = lastOf(asked, 1);
    if (rows == s.m) {
      factor.dims = {rowLoop()};
      return factor;
    }
    // Batches are more rows, of which each has the same: they are repeated.
    TensorShape all(std::vector<Dim>{asked.elements(0, asked.size() - 2), rows});
    AffineMap each = c.b.getMultiDimIdentityMap(2);
    factor.value = c.genericOfBits(c.empty(all, getElementTypeOrSelf(factor.value.getType())),
                                   factor.value, {each.getSubMap({1}), each},
                                   [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  }
  factor.value = c.withShape(factor.value, shape);
  return withoutUnit(c, batched(factor, shape, rowLoop(), rowLoop() + 2), /*back=*/0);
}

Value matrixProduct(LoweringContext &c, size_t left, size_t right, Type element) {
  ProductOperands operands(c, left, right);
  Value value = contract(c, operands.result(), operands.left(), operands.right(), operands.depth());
  return c.withShape(c.rounded(value, element), operands.whole());
}

} // namespace kgen
