#include "ops/MatMulLowering.h"

#include "ops/Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

using Shape = SmallVector<int64_t>;

Type accumulatorType(ElementType element, MLIRContext *context) {
  if (byteWidth(element) == 1)
    return IntegerType::get(context, 32);
  return computeType(toMlir(element, context));
}

Value addedProduct(OpBuilder &b, mlir::Location loc, TypedScalar left, TypedScalar right,
                   Value sum) {
  if (isFloat(left.element))
    return arith::AddFOp::create(b, loc, sum,
                                 arith::MulFOp::create(b, loc, left.value, right.value));
  Value x = extended(b, loc, left.value, left.element, sum.getType());
  Value y = extended(b, loc, right.value, right.element, sum.getType());
  return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
}

Value contract(LoweringContext &c, ArrayRef<int64_t> shape, const Factor &a, const Factor &b,
               int64_t k) {
  auto type = RankedTensorType::get(shape, accumulatorType(a.element, c.b.getContext()));
  Value zero = c.filled(type, 0.0);
  if (k == 0) // the sum of nothing
    return zero;
  unsigned rank = shape.size();
  auto map = [&](ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(rank + 1, dims, c.b.getContext());
  };
  SmallVector<unsigned> resultDims;
  for (unsigned d = 0; d < rank; ++d)
    resultDims.push_back(d);
  auto body = [&](OpBuilder &builder, mlir::Location loc, ValueRange v) -> Value {
    return addedProduct(builder, loc, {v[0], a.element}, {v[1], b.element}, v[2]);
  };
  auto factor = [&](const Factor &f) { return isFloat(f.element) ? c.factor(f.value) : f.value; };
  return c.generic(zero, {factor(a), factor(b)}, {map(a.dims), map(b.dims), map(resultDims)}, body);
}

static std::vector<int64_t> leading(ArrayRef<int64_t> shape) {
  return shape.size() < 2 ? std::vector<int64_t>() : shape.drop_back(2).vec();
}

ProductShape::ProductShape(ArrayRef<int64_t> left, ArrayRef<int64_t> right) : a(left), b(right) {
  std::vector<int64_t> both = *broadcastShapes(leading(left), leading(right));
  batch.assign(both.begin(), both.end());
  if (a.size() == 1)
    a.insert(a.begin(), 1);
  if (b.size() == 1)
    b.push_back(1);
  m = a[a.size() - 2];
  k = a.back();
  n = b.back();
}

Shape ProductShape::result() const {
  Shape shape = batch;
  shape.append({m, n});
  return shape;
}

std::optional<std::vector<int64_t>> inferProduct(const InferenceContext &context, size_t left,
                                                 size_t right) {
  const TensorType &a = context.input(left), &b = context.input(right);
  auto mismatch = [&](const std::string &why) {
    context.error(context.node.op->name + " of " + a.str() + " and " + b.str() + ": " + why);
    return std::nullopt;
  };
  if (a.shape.empty() || b.shape.empty())
    return mismatch("a scalar cannot be multiplied as a matrix");
  int64_t ka = a.shape.back(), kb = b.shape.size() == 1 ? b.shape[0] : b.shape[b.shape.size() - 2];
  if (ka != kb)
    return mismatch("the inner dimensions " + std::to_string(ka) + " and " + std::to_string(kb) +
                    " differ");
  auto shape = broadcastShapes(leading(a.shape), leading(b.shape));
  if (!shape)
    return mismatch("the leading dimensions do not broadcast");
  if (a.shape.size() > 1)
    shape->push_back(a.shape[a.shape.size() - 2]);
  if (b.shape.size() > 1)
    shape->push_back(b.shape.back());
  return shape;
}

/// The operand without unit batch dimensions, and where its remaining ones are in the result's,
/// which has no unit ones either. `batch` is the broadcast batch shape with units.
static Factor batchedFactor(LoweringContext &c, Factor operand, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> batch, unsigned row, unsigned column) {
  Shape kept;
  size_t missing = batch.size() - (shape.size() - 2);
  unsigned position = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i] == 1)
      continue;
    if (i >= missing && shape[i - missing] != 1) {
      kept.push_back(batch[i]);
      operand.dims.push_back(position);
    }
    ++position;
  }
  kept.append({shape[shape.size() - 2], shape.back()});
  operand.dims.append({row, column});
  operand.value = c.reshape(operand.value, kept);
  return operand;
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Fewer batch dimensions for the same product, where operands allow it.
static void simplifyBatch(ProductShape &s) {
  if (product(ArrayRef(s.b).drop_back(2)) == 1 && product(s.batch) != 0) {
    // One matrix B for all batches: the batches of A are more rows.
    s.m *= product(s.batch);
    s.a = {s.m, s.k};
    s.b = {s.k, s.n};
    s.batch.clear();
  } else if (ArrayRef(s.a).drop_back(2) == ArrayRef(s.batch) &&
             ArrayRef(s.b).drop_back(2) == ArrayRef(s.batch) && !s.batch.empty()) {
    // Equal batches need one dimension only.
    int64_t count = product(s.batch);
    s.a = {count, s.m, s.k};
    s.b = {count, s.k, s.n};
    s.batch = {count};
  }
}

Value matrixProduct(LoweringContext &c, size_t left, size_t right, Type element) {
  ProductShape s(c.input(left).shape, c.input(right).shape);
  Shape whole = s.result();
  simplifyBatch(s);
  Factor a{c.reshape(c.operand(left), s.a), c.input(left).element, {}};
  Factor b{c.reshape(c.operand(right), s.b), c.input(right).element, {}};
  Shape result;
  for (int64_t size : s.batch)
    if (size != 1)
      result.push_back(size);
  unsigned m = result.size(), n = m + 1, k = m + 2;
  result.append({s.m, s.n});
  Value value = contract(c, result, batchedFactor(c, a, s.a, s.batch, m, k),
                         batchedFactor(c, b, s.b, s.batch, k, n), s.k);
  return c.reshape(c.rounded(value, element), whole);
}

} // namespace kgen
