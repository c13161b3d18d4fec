// Contractions: MatMul and Gemm. Both become a zero fill and one generic over [batch..., m, n, k].
#include "ops/TypeRules.h"
#include "ops/product/BlockwiseQuant.h"
#include "ops/product/DequantizedProduct.h"
#include "ops/product/MatMulLowering.h"
#include "ops/product/ScaledWeights.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferMatMul(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  auto shape = inferProduct(context, 0, 1);
  if (!shape)
    return {};
  const TensorShape &b = context.input(1).shape;
  if (!checkBlockLength(context, 1, b.dim(b.size() - std::min<size_t>(2, b.size()))))
    return {};
  return {{context.input(0).element, *shape}};
}

void lowerMatMul(LoweringContext &c) {
  Value value;
  if (isQuantized(c, 1)) {
    ProductShape s(c.input(0).shape, c.input(1).shape);
    Value a = c.withShape(c.operand(0), std::vector<Dim>{s.rows(), s.k});
    value = blockProduct(c, a, quantizedWeight(c, 1, /*transposed=*/false), rowScaleBlock(c));
  } else if (multipliesBytes(c)) {
    value = dequantizedProduct(c, /*transA=*/false, /*transB=*/false);
  } else {
    value = matrixProduct(c, 0, 1, c.resultTensor().getElementType());
  }
  c.setResult(c.withShape(value, c.resultShape()));
}

/// m, n and k of a Gemm.
struct GemmShape {
  Dim m, n, k, kOfB;

  explicit GemmShape(const InferenceContext &c) {
    bool transA = c.integer("transA"), transB = c.integer("transB");
    const auto &a = c.input(0).shape, &b = c.input(1).shape;
    m = a.dim(transA);
    k = a.dim(!transA);
    n = b.dim(!transB);
    kOfB = b.dim(transB);
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
                  ": the inner dimensions " + s.k.str() + " and " + s.kOfB.str() + " differ");
    return {};
  }
  if (!checkBlockLength(context, 1, s.k))
    return {};
  TensorType result{a.element, std::vector<Dim>{s.m, s.n}};
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
  if (isQuantized(c, 1)) {
    Value empty = c.empty(std::vector<Dim>{s.m, s.k}, getElementTypeOrSelf(left.getType()));
    if (c.integer("transA"))
      left = linalg::TransposeOp::create(c.b, c.loc, left, empty, ArrayRef<int64_t>{1, 0})
                 .getResult()[0];
    return blockProduct(c, left, quantizedWeight(c, 1, c.integer("transB")), rowScaleBlock(c));
  }
  if (multipliesBytes(c))
    return dequantizedProduct(c, c.integer("transA"), c.integer("transB"));
  Factor a{left, c.input(0).element, {0, 2}}, b{c.operand(1), c.input(1).element, {2, 1}};
  if (c.integer("transA"))
    std::swap(a.dims[0], a.dims[1]);
  if (c.integer("transB"))
    std::swap(b.dims[0], b.dims[1]);
  return contract(c, std::vector<Dim>{s.m, s.n}, a, b, s.k);
}

void lowerGemm(LoweringContext &c) {
  SmallVector<Value> operands = {productOfGemm(c, GemmShape(c))};
  double alpha = c.real("alpha"), beta = c.real("beta");
  if (c.hasInput(2) && beta != 0.0)
    operands.push_back(c.operand(2));
  if (operands.size() == 1 && alpha == 1.0)
    return c.setResult(c.rounded(operands[0], c.resultTensor().getElementType()));
  auto scaled = [&](OpBuilder &builder, Location loc, Value x, double factor) -> Value {
    if (factor == 1.0)
      return x;
    Value number =
        arith::ConstantOp::create(builder, loc, builder.getFloatAttr(x.getType(), factor));
    return arith::MulFOp::create(builder, loc, x, number);
  };
  auto body = [&](OpBuilder &builder, Location loc, ValueRange v) -> Value {
    Value result = scaled(builder, loc, v[0], alpha);
    if (v.size() == 1)
      return result;
    return arith::AddFOp::create(builder, loc, result, scaled(builder, loc, v[1], beta));
  };
  c.setResult(c.elementwise(c.resultTensor(), operands, body));
}

std::optional<int64_t> rowBlockIfQuantized(const InferenceContext &c) {
  return isQuantized(c, 1) ? std::optional(rowScaleBlock(c)) : std::nullopt;
}

} // namespace

std::vector<Operator> matrixProductOperators() {
  Operator matmul;
  matmul.name = "MatMul";
  matmul.summary = "matrix product as numpy's: leading dimensions broadcast, vectors are allowed; "
                   "integers wrap";
  matmul.minInputs = matmul.maxInputs = 2;
  matmul.factors = 2;
  matmul.types = floatTypes();
  matmul.types.insert(matmul.types.end(), {ElementType::i32, ElementType::i64});
  matmul.quantizableInput = 1;
  matmul.rowBlock = rowBlockIfQuantized;
  matmul.symbolicDims = SymbolicDims::any();
  matmul.infer = inferMatMul;
  matmul.scaled = scaledMatMul;
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
  gemm.factors = 2;
  gemm.types = floatTypes();
  gemm.quantizableInput = 1;
  gemm.rowBlock = rowBlockIfQuantized;
  gemm.symbolicDims = SymbolicDims::any();
  gemm.infer = inferGemm;
  gemm.scaled = scaledGemm;
  gemm.lower = lowerGemm;
  return {matmul, gemm};
}

} // namespace kgen
