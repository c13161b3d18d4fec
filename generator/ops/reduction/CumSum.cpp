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

/// Lowers one CumSum: the tensor is [outer, length, inner], sizes that may be symbolic.
class Scan {
public:
  explicit Scan(LoweringContext &c)
      : c(c), b(c.b), loc(c.loc), isExclusive(c.integer("exclusive") != 0),
        isReverse(c.integer("reverse") != 0) {
    const TensorShape &shape = c.input(0).shape;
    const auto axis = static_cast<size_t>(*axisOf(c));
    outer = shape.elements(0, axis);
    length = shape.dim(axis);
    inner = shape.elements(axis + 1, shape.size());
    whole = std::vector<Dim>{outer, length, inner};
    x = c.withShape(c.operand(0), whole);
    element = getElementTypeOrSelf(x.getType());
    sumElement = computeType(element);
  }

  Value lower() {
    Value result = c.empty(whole, element);
    if (inner != 1) {
      result = loop(index(outer), result, [&](Value row, Value all) { return rows(row, all); });
      return c.withShape(result, c.resultShape());
    }
    std::optional<int64_t> known = outer.number();
    auto rowCount = [&](int64_t ofKnown, auto make) -> Value {
      return known ? index(ofKnown) : make();
    };
    const int64_t grouped = known ? *known / together * together : 0;
    Value groups = rowCount(grouped / together, [&] { return divided<arith::DivUIOp>(outer); });
    result = loop(groups, result, [&](Value group, Value tensor) {
      return elements(arith::MulIOp::create(b, loc, group, index(together)), together, tensor);
    });
    Value left =
        rowCount(known ? *known - grouped : 0, [&] { return divided<arith::RemUIOp>(outer); });
    result = loop(left, result, [&](Value row, Value tensor) {
      Value before = rowCount(
          grouped, [&]() -> Value { return arith::SubIOp::create(b, loc, index(outer), left); });
      return elements(arith::AddIOp::create(b, loc, row, before), 1, tensor);
    });
    return c.withShape(result, c.resultShape());
  }

private:
  Value index(const Dim &value) {
    std::optional<int64_t> known = value.number();
    return known ? arith::ConstantIndexOp::create(b, loc, *known).getResult()
                 : cast<Value>(sizeValue(b, value));
  }
  template <typename Division> Value divided(const Dim &rows) {
    return Division::create(b, loc, index(rows), index(together));
  }

  scf::ForOp forOp(Value count, ValueRange inits,
                   llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto op = scf::ForOp::create(b, loc, index(0), count, index(1), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(op.getBody());
    scf::YieldOp::create(b, loc, body(op.getInductionVar(), op.getRegionIterArgs()));
    return op;
  }
  Value loop(Value count, Value init, llvm::function_ref<Value(Value, Value)> body) {
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
  Location loc;
  bool isExclusive, isReverse;
  Dim outer = 1, length = 1, inner = 1;
  TensorShape whole;
  Value x;
  Type element, sumElement;
};

/// Along the last dimension, of `count` rows: their sums stay in registers.
Value Scan::elements(Value first, int64_t count, Value tensor) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumElement));
  SmallVector<Value> inits(count + 1, zero), rows;
  inits.front() = tensor;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back(arith::AddIOp::create(b, loc, first, index(i)));
  return forOp(index(length), inits,
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
  Value zeros = c.filled(TensorShape(std::vector<Dim>{inner}), sumElement, 0.0);
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return forOp(index(length), {tensor, zeros},
               [&](Value step, ValueRange carried) {
                 SmallVector<OpFoldResult> offset{row, indexOf(step), b.getIndexAttr(0)};
                 SmallVector<OpFoldResult> one(3, b.getIndexAttr(1)), size(one);
                 size.back() = sizeValue(b, inner);
                 auto rowType = cast<RankedTensorType>(zeros.getType()).clone(element);
                 Value next = tensor::ExtractSliceOp::create(b, loc, rowType, x, offset, size, one);
                 auto write = [&](Value sums) -> Value {
                   return tensor::InsertSliceOp::create(b, loc, c.rounded(sums, element),
                                                        carried[0], offset, size, one);
                 };
                 Value written = isExclusive ? write(carried[1]) : Value();
                 Value sums = c.generic(carried[1], next, {identity, identity},
                                        [](OpBuilder &inside, Location at, ValueRange v) {
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
  op.symbolicDims = SymbolicDims::any();
  op.infer = [](InferenceContext &c) {
    return axisOf(c) ? std::vector<TensorType>{c.input(0)} : std::vector<TensorType>{};
  };
  op.lower = [](LoweringContext &c) { c.setResult(Scan(c).lower()); };
  return {op};
}

} // namespace kgen
