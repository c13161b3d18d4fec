// Contractions: MatMul and Gemm. Both become a zero fill and one generic over [batch..., m, n, k].
#include "ops/BlockWeights.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
namespace {

using Shape = SmallVector<int64_t>;

/// An operand of a contraction: the iteration dimensions that its tensor dimensions are.
struct Factor {
  Value value;
  SmallVector<unsigned> dims;
};

/// result[batch..., m, n] = sum over k in the type to compute in; the contraction's iteration space
/// has `batch` + 3 dimensions.
Value contract(LoweringContext &c, ArrayRef<int64_t> shape, const Factor &a, const Factor &b,
               int64_t k) {
  auto type = RankedTensorType::get(shape, computeType(getElementTypeOrSelf(a.value.getType())));
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
  return c.generic(zero, {a.value, b.value}, {map(a.dims), map(b.dims), map(resultDims)},
                   [](OpBuilder &builder, mlir::Location loc, ValueRange v) -> Value {
                     Value product = arith::MulFOp::create(builder, loc, v[0], v[1]);
                     return arith::AddFOp::create(builder, loc, v[2], product);
                   });
}

/// Shapes of a MatMul with 1-D operands made matrices.
struct MatMulShape {
  Shape a, b;  ///< at least 2-D
  Shape batch; ///< broadcast
  int64_t m, n, k;
  bool aVector, bVector;

  MatMulShape(ArrayRef<int64_t> left, ArrayRef<int64_t> right, ArrayRef<int64_t> batch)
      : a(left), b(right), batch(batch), aVector(left.size() == 1), bVector(right.size() == 1) {
    if (aVector)
      a.insert(a.begin(), 1);
    if (bVector)
      b.push_back(1);
    m = a[a.size() - 2];
    k = a.back();
    n = b.back();
  }
};

std::vector<int64_t> leading(const std::vector<int64_t> &shape) {
  return shape.size() < 2 ? std::vector<int64_t>()
                          : std::vector<int64_t>(shape.begin(), shape.end() - 2);
}

std::vector<TensorType> inferMatMul(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  const TensorType &a = context.input(0), &b = context.input(1);
  auto mismatch = [&](const std::string &why) {
    context.error("MatMul of " + a.str() + " and " + b.str() + ": " + why);
    return std::vector<TensorType>();
  };
  if (a.shape.empty() || b.shape.empty())
    return mismatch("a scalar cannot be multiplied as a matrix");
  int64_t ka = a.shape.back(), kb = b.shape.size() == 1 ? b.shape[0] : b.shape[b.shape.size() - 2];
  if (ka != kb)
    return mismatch("the inner dimensions " + std::to_string(ka) + " and " + std::to_string(kb) +
                    " differ");
  auto batch = broadcastShapes(leading(a.shape), leading(b.shape));
  if (!batch)
    return mismatch("the leading dimensions do not broadcast");
  if (!checkBlockLength(context, 1, kb))
    return {};
  TensorType result{a.element, *batch};
  if (a.shape.size() > 1)
    result.shape.push_back(a.shape[a.shape.size() - 2]);
  if (b.shape.size() > 1)
    result.shape.push_back(b.shape.back());
  return {result};
}

/// The operand without unit batch dimensions, and where its remaining ones are in the result's,
/// which has no unit ones either. `batch` is the broadcast batch shape with units.
Factor batchedFactor(LoweringContext &c, Value value, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> batch, unsigned row, unsigned column) {
  Factor factor;
  Shape kept;
  size_t missing = batch.size() - (shape.size() - 2);
  unsigned position = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i] == 1)
      continue;
    if (i >= missing && shape[i - missing] != 1) {
      kept.push_back(batch[i]);
      factor.dims.push_back(position);
    }
    ++position;
  }
  kept.append({shape[shape.size() - 2], shape.back()});
  factor.dims.append({row, column});
  factor.value = c.reshape(value, kept);
  return factor;
}

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

void lowerMatMul(LoweringContext &c) {
  MatMulShape s(c.input(0).shape, c.input(1).shape,
                *broadcastShapes(leading(c.input(0).shape), leading(c.input(1).shape)));
  Value a = c.operand(0), b = c.operand(1);
  if (isQuantised(c, 1)) {
    a = c.reshape(a, {product(s.batch) * s.m, s.k});
    Value value = blockProduct(c, a, quantisedWeight(c, 1, /*transposed=*/false));
    return c.setResult(c.reshape(value, c.resultTensor().getShape()));
  }
  // One matrix B for all batches: the batches of A are more rows.
  if (product(ArrayRef(s.b).drop_back(2)) == 1 && product(s.batch) != 0) {
    s.m *= product(s.batch);
    s.a = {s.m, s.k};
    s.b = {s.k, s.n};
    a = c.reshape(a, s.a);
    b = c.reshape(b, s.b);
    s.batch.clear();
  } else if (ArrayRef(s.a).drop_back(2) == ArrayRef(s.batch) &&
             ArrayRef(s.b).drop_back(2) == ArrayRef(s.batch) && !s.batch.empty()) {
    // Equal batches need one dimension only.
    int64_t count = product(s.batch);
    s.a = {count, s.m, s.k};
    s.b = {count, s.k, s.n};
    a = c.reshape(a, s.a);
    b = c.reshape(b, s.b);
    s.batch = {count};
  } else {
    a = c.reshape(a, s.a);
    b = c.reshape(b, s.b);
  }
  Shape result;
  for (int64_t size : s.batch)
    if (size != 1)
      result.push_back(size);
  unsigned m = result.size(), n = m + 1, k = m + 2;
  result.append({s.m, s.n});
  Value value = contract(c, result, batchedFactor(c, a, s.a, s.batch, m, k),
                         batchedFactor(c, b, s.b, s.batch, k, n), s.k);
  value = c.rounded(value, c.resultTensor().getElementType());
  c.setResult(c.reshape(value, c.resultTensor().getShape()));
}

/// m, n and k of a Gemm.
struct GemmShape {
  int64_t m, n, k, kOfB;

  explicit GemmShape(const InferenceContext &c) {
    bool transA = c.integer("transA"), transB = c.integer("transB");
    const auto &a = c.input(0).shape, &b = c.input(1).shape;
    m = a[transA];
    k = a[!transA];
    n = b[!transB];
    kOfB = b[transB];
  }
};

std::vector<TensorType> inferGemm(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  const TensorType &a = context.input(0), &b = context.input(1);
  for (const char *flag : {"transA", "transB"})
    if (context.integer(flag) != 0 && context.integer(flag) != 1) {
      context.error(std::string("Gemm's ") + flag + " must be 0 or 1, not " +
                    std::to_string(context.integer(flag)));
      return {};
    }
  if (a.shape.size() != 2 || b.shape.size() != 2) {
    context.error("Gemm takes matrices, but the inputs are " + a.str() + " and " + b.str());
    return {};
  }
  GemmShape s(context);
  if (s.k != s.kOfB) {
    context.error("Gemm of " + a.str() + (context.integer("transA") ? " (transposed)" : "") +
                  " and " + b.str() + (context.integer("transB") ? " (transposed)" : "") +
                  ": the inner dimensions " + std::to_string(s.k) + " and " +
                  std::to_string(s.kOfB) + " differ");
    return {};
  }
  if (!checkBlockLength(context, 1, s.k))
    return {};
  TensorType result{a.element, {s.m, s.n}};
  if (context.hasInput(2) &&
      broadcastShapes(context.input(2).shape, result.shape) != result.shape) {
    context.error("Gemm's C is " + context.input(2).str() + ", which does not broadcast to " +
                  result.str());
    return {};
  }
  return {result};
}

/// A' * B'
Value productOfGemm(LoweringContext &c, const GemmShape &s) {
  Value left = c.operand(0);
  if (isQuantised(c, 1)) {
    auto type = RankedTensorType::get({s.m, s.k}, getElementTypeOrSelf(left.getType()));
    if (c.integer("transA"))
      left = linalg::TransposeOp::create(c.b, c.loc, left, c.empty(type), ArrayRef<int64_t>{1, 0})
                 .getResult()[0];
    return blockProduct(c, left, quantisedWeight(c, 1, c.integer("transB")));
  }
  Factor a{left, {0, 2}}, b{c.operand(1), {2, 1}};
  if (c.integer("transA"))
    std::swap(a.dims[0], a.dims[1]);
  if (c.integer("transB"))
    std::swap(b.dims[0], b.dims[1]);
  return contract(c, {s.m, s.n}, a, b, s.k);
}

void lowerGemm(LoweringContext &c) {
  SmallVector<Value> operands = {productOfGemm(c, GemmShape(c))};
  double alpha = c.real("alpha"), beta = c.real("beta");
  if (c.hasInput(2) && beta != 0.0)
    operands.push_back(c.operand(2));
  if (operands.size() == 1 && alpha == 1.0)
    return c.setResult(c.rounded(operands[0], c.resultTensor().getElementType()));
  auto scaled = [&](OpBuilder &builder, mlir::Location loc, Value x, double factor) -> Value {
    if (factor == 1.0)
      return x;
    Value number =
        arith::ConstantOp::create(builder, loc, builder.getFloatAttr(x.getType(), factor));
    return arith::MulFOp::create(builder, loc, x, number);
  };
  auto body = [&](OpBuilder &builder, mlir::Location loc, ValueRange v) -> Value {
    Value result = scaled(builder, loc, v[0], alpha);
    if (v.size() == 1)
      return result;
    return arith::AddFOp::create(builder, loc, result, scaled(builder, loc, v[1], beta));
  };
  c.setResult(c.elementwise(c.resultTensor(), operands, body));
}

} // namespace

std::vector<Operator> matrixProductOperators() {
  Operator matmul;
  matmul.name = "MatMul";
  matmul.summary = "matrix product as numpy's: leading dimensions broadcast, vectors are allowed";
  matmul.minInputs = matmul.maxInputs = 2;
  matmul.types = floatTypes();
  matmul.quantisableInput = 1;
  matmul.infer = inferMatMul;
  matmul.lower = lowerMatMul;

  Operator gemm;
  gemm.name = "Gemm";
  gemm.summary = "alpha * A' * B' + beta * C; A' and B' are A and B, transposed if asked for";
  gemm.minInputs = 2;
  gemm.maxInputs = 3;
  gemm.attributes = {
      {"alpha", AttributeKind::real, 1.0, false, "factor of the product"},
      {"beta", AttributeKind::real, 1.0, false, "factor of C"},
      {"transA", AttributeKind::integer, int64_t(0), false, "1: A is given transposed"},
      {"transB", AttributeKind::integer, int64_t(0), false, "1: B is given transposed"},
  };
  gemm.types = floatTypes();
  gemm.quantisableInput = 1;
  gemm.infer = inferGemm;
  gemm.lower = lowerGemm;
  return {matmul, gemm};
}

} // namespace kgen
