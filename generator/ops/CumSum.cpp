// CumSum: sums of all elements up to each one along an axis, one after another. bf16 and f16 are
// added up in f32, and each sum is rounded once.
#include "dialect/tpp/Scalars.h"
#include "ops/Axes.h"
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <numeric>

using namespace mlir;

namespace kgen {
namespace {

std::optional<int64_t> axisOf(const InferenceContext &context) {
  auto axis = requiredIntegers(context, 1, "axis");
  if (!axis)
    return std::nullopt;
  if (axis->size() != 1) {
    context.error("CumSum's axis (input 2) must be one integer, it is " + context.input(1).str());
    return std::nullopt;
  }
  return normalizeAxis(context, axis->front(), context.input(0).shape.size());
}

/// Lowers one CumSum: the tensor is [outer, length, inner].
class Scan {
public:
  explicit Scan(LoweringContext &c)
      : c(c), b(c.b), loc(c.loc), isExclusive(c.integer("exclusive") != 0),
        isReverse(c.integer("reverse") != 0) {
    ArrayRef<int64_t> shape = c.input(0).shape;
    int64_t axis = *axisOf(c);
    auto product = [](ArrayRef<int64_t> sizes) {
      return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
    };
    outer = product(shape.take_front(axis));
    length = shape[axis];
    inner = elementsInside(shape, axis);
    x = c.reshape(c.operand(0), {outer, length, inner});
    type = cast<RankedTensorType>(x.getType());
    sumType = RankedTensorType::get({inner}, computeType(type.getElementType()));
  }

  Value lower() {
    Value result = c.empty(type);
    if (inner != 1) {
      result = loop(outer, result, [&](Value row, Value tensor) { return rows(row, tensor); });
      return c.reshape(result, c.resultTensor().getShape());
    }
    int64_t groups = outer / together;
    result = loop(groups, result, [&](Value group, Value tensor) {
      return elements(arith::MulIOp::create(b, loc, group, index(together)), together, tensor);
    });
    result = loop(outer - groups * together, result, [&](Value row, Value tensor) {
      Value first = arith::AddIOp::create(b, loc, row, index(groups * together));
      return elements(first, 1, tensor);
    });
    return c.reshape(result, c.resultTensor().getShape());
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  scf::ForOp forOp(int64_t count, ValueRange inits,
                   llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(b, loc, index(0), index(count), index(1), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    scf::YieldOp::create(b, loc, body(op.getInductionVar(), op.getRegionIterArgs()));
    return op;
  }
  Value loop(int64_t count, Value init, llvm::function_ref<Value(Value, Value)> body) {
    return forOp(
               count, init,
               [&](Value i, ValueRange carried) { return SmallVector<Value>{body(i, carried[0])}; })
        .getResult(0);
  }
  Value indexOf(Value step) {
    return isReverse ? arith::SubIOp::create(b, loc, index(length - 1), step).getResult() : step;
  }

  Value elements(Value first, int64_t count, Value tensor);
  Value rows(Value row, Value tensor);

  LoweringContext &c;
  const int64_t together = c.cpu().heuristics.independentChains; ///< rows
  OpBuilder &b;
  mlir::Location loc;
  bool isExclusive, isReverse;
  int64_t outer = 1, length = 1, inner = 1;
  Value x;
  RankedTensorType type, sumType;
};

/// Along the last dimension, of `count` rows: their sums stay in registers.
Value Scan::elements(Value first, int64_t count, Value tensor) {
  Type sumElement = sumType.getElementType(), element = type.getElementType();
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumElement));
  SmallVector<Value> inits(count + 1, zero), rows;
  inits.front() = tensor;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back(arith::AddIOp::create(b, loc, first, index(i)));
  return forOp(length, inits,
               [&](Value step, ValueRange carried) {
                 SmallVector<Value> state{carried.front()};
                 for (auto [row, old] : llvm::zip(rows, carried.drop_front())) {
                   SmallVector<Value> subscripts{row, indexOf(step), index(0)};
                   Value next = tensor::ExtractOp::create(b, loc, x, subscripts);
                   if (element != sumElement)
                     next = arith::ExtFOp::create(b, loc, sumElement, next);
                   Value sum = tpp::scalar::add(b, loc, {old, next});
                   Value out = isExclusive ? old : sum;
                   if (element != sumElement)
                     out = arith::TruncFOp::create(b, loc, element, out);
                   state.front() = tensor::InsertOp::create(b, loc, out, state.front(), subscripts);
                   state.push_back(sum);
                 }
                 return state;
               })
      .getResult(0);
}

/// Along another one: sums of a whole row at a time.
Value Scan::rows(Value row, Value tensor) {
  Value zeros = c.filled(sumType, 0.0);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return forOp(length, {tensor, zeros},
               [&](Value step, ValueRange carried) {
                 SmallVector<OpFoldResult> offset{row, indexOf(step), b.getIndexAttr(0)};
                 SmallVector<int64_t> size{1, 1, inner};
                 Value next = extractSlice(b, loc, x, offset, size, {inner});
                 auto write = [&](Value sums) -> Value {
                   return insertSlice(b, loc, carried[0], c.rounded(sums, type.getElementType()),
                                      offset, size);
                 };
                 Value written = isExclusive ? write(carried[1]) : Value();
                 Value sums = c.generic(carried[1], next, {identity, identity},
                                        [](OpBuilder &inside, mlir::Location at, ValueRange v) {
                                          return tpp::scalar::add(inside, at, {v[1], v[0]});
                                        });
                 return SmallVector<Value>{written ? written : write(sums), sums};
               })
      .getResult(0);
}

} // namespace

std::vector<Operator> cumSumOperators() {
  Operator op;
  op.name = "CumSum";
  op.summary = "cumulative sums along an axis, which is a constant";
  op.minInputs = op.maxInputs = 2;
  op.attributes = {
      {"exclusive", AttributeKind::integer, int64_t(0), false, "1: without the element itself"},
      {"reverse", AttributeKind::integer, int64_t(0), false, "1: from the end"}};
  op.types = floatAndLongTypes();
  op.infer = [](InferenceContext &c) {
    return axisOf(c) ? std::vector<TensorType>{c.input(0)} : std::vector<TensorType>{};
  };
  op.lower = [](LoweringContext &c) { c.setResult(Scan(c).lower()); };
  return {op};
}

} // namespace kgen
