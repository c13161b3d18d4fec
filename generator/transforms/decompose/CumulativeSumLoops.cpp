// Cumulative sums, one element after another. Along the last dimension, sums of several rows are
// made at once, so that additions do not wait for each other; along another one, vectors hold sums
// of neighbouring elements.
#include "transforms/decompose/NamedOpLoops.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"
#include "dialect/tpp/Scalars.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the loops of one operation, on the tensor as [dimensions before, axis, dimensions after],
/// of which the first and the last may be missing.
class Scan {
public:
  Scan(OpBuilder &b, CumulativeSumOp op)
      : b(b), loc(op.getLoc()), op(op), together(cpuOf(op).heuristics.independentChains) {
    int64_t rank = op.getInputType().getRank(), axis = op.getDimensions().front();
    for (int64_t d = 0; d < rank; ++d) {
      if (d == 0 || d == axis || d == axis + 1)
        groups.emplace_back();
      groups.back().push_back(d);
    }
    axisDim = axis == 0 ? 0 : 1;
    x = op.getInput();
    if (rank > static_cast<int64_t>(groups.size()))
      x = tensor::CollapseShapeOp::create(b, loc, x, groups);
    sizes = sizesOf(b, loc, x);
    element = getElementTypeOrSelf(x.getType());
    sumElement = accumulatorOf(element);
  }

  Value lower();

  std::string form; ///< what was chosen

private:
  using Carried = SmallVector<Value>;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value index(OpFoldResult size) { return getValueOrCreateConstantIndexOp(b, loc, size); }
  bool hasOuter() const { return axisDim == 1; }
  bool hasInner() const { return static_cast<int64_t>(sizes.size()) > axisDim + 1; }

  Carried forOp(Value count, ValueRange inits,
                llvm::function_ref<Carried(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, loc, index(0), count, index(1), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return Carried(loop.getResults());
  }
  Value loop(Value count, Value init, llvm::function_ref<Value(Value, Value)> body) {
    return forOp(count, init,
                 [&](Value i, ValueRange carried) { return Carried{body(i, carried.front())}; })
        .front();
  }
  /// The index along the axis of a step.
  Value indexOf(Value step) {
    if (!op.getReverse())
      return step;
    return arith::SubIOp::create(b, loc, last, step);
  }

  Value groupsOfRows(Value result);
  Value elements(Value first, int64_t count, Value result);
  Value wholeRows(Value outer, Value result);

  OpBuilder &b;
  Location loc;
  CumulativeSumOp op;
  const int64_t together; ///< rows
  SmallVector<ReassociationIndices> groups;
  int64_t axisDim;
  Value x, last; ///< the last index along the axis, where sums go from the end
  SmallVector<OpFoldResult> sizes;
  Type element, sumElement;
};

/// Along the last dimension, of `count` rows: their sums stay in registers.
Value Scan::elements(Value first, int64_t count, Value result) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(sumElement));
  Carried inits(count + 1, zero);
  SmallVector<Value> rows;
  inits.front() = result;
  for (int64_t i = 0; i < count && first; ++i)
    rows.push_back(arith::AddIOp::create(b, loc, first, index(i)));
  return forOp(index(sizes[axisDim]), inits,
               [&](Value step, ValueRange carried) {
                 Carried state{carried.front()};
                 for (int64_t i = 0; i < count; ++i) {
                   Value old = carried[i + 1];
                   SmallVector<Value> at;
                   if (first)
                     at.push_back(rows[i]);
                   at.push_back(indexOf(step));
                   Value next = tensor::ExtractOp::create(b, loc, x, at);
                   if (element != sumElement)
                     next = arith::ExtFOp::create(b, loc, sumElement, next);
                   Value sum = tpp::scalar::add(b, loc, {old, next});
                   Value out = op.getExclusive() ? old : sum;
                   if (element != sumElement)
                     out = arith::TruncFOp::create(b, loc, element, out);
                   state.front() = tensor::InsertOp::create(b, loc, out, state.front(), at);
                   state.push_back(sum);
                 }
                 return state;
               })
      .front();
}

/// Along the last dimension: groups of rows, and those that are left.
Value Scan::groupsOfRows(Value result) {
  if (!hasOuter())
    return elements(/*first=*/Value(), 1, result);
  std::optional<int64_t> known = getConstantIntValue(sizes.front());
  Value groupCount, grouped, left;
  if (known) {
    groupCount = index(*known / together);
    grouped = index(*known / together * together);
    left = index(*known % together);
  } else {
    Value rows = index(sizes.front());
    groupCount = arith::DivUIOp::create(b, loc, rows, index(together));
    left = arith::RemUIOp::create(b, loc, rows, index(together));
    grouped = arith::SubIOp::create(b, loc, rows, left);
  }
  result = loop(groupCount, result, [&](Value group, Value tensor) {
    return elements(arith::MulIOp::create(b, loc, group, index(together)), together, tensor);
  });
  return loop(left, result, [&](Value row, Value tensor) {
    return elements(arith::AddIOp::create(b, loc, row, grouped), 1, tensor);
  });
}

/// Along another dimension, at one index before it or, without such, none: sums of all elements
/// after it at a time.
Value Scan::wholeRows(Value outer, Value result) {
  GenericBuilder build(b, loc);
  OpFoldResult inner = sizes.back();
  Value zeros = build.filled(inner, b.getZeroAttr(sumElement));
  AffineMap identity = b.getMultiDimIdentityMap(1);
  auto rowType = cast<RankedTensorType>(zeros.getType()).clone(element);
  return forOp(index(sizes[axisDim]), {result, zeros},
               [&](Value step, ValueRange carried) {
                 TensorSlice slice;
                 if (outer)
                   slice.offsets.push_back(outer);
                 slice.offsets.append({indexOf(step), b.getIndexAttr(0)});
                 slice.sizes.assign(slice.offsets.size(), b.getIndexAttr(1));
                 slice.sizes.back() = inner;
                 Value next = extract(b, loc, x, slice, rowType.getShape());
                 auto write = [&](Value sums) -> Value {
                   if (element != sumElement)
                     sums = build.generic(emptyTensor(b, loc, inner, element), sums,
                                          {identity, identity},
                                          [](OpBuilder &, Location, ValueRange v) { return v[0]; });
                   return insert(b, loc, sums, carried[0], slice);
                 };
                 Value written = op.getExclusive() ? write(carried[1]) : Value();
                 Value sums = build.generic(carried[1], next, {identity, identity},
                                            [](OpBuilder &b, Location loc, ValueRange v) {
                                              return tpp::scalar::add(b, loc, {v[1], v[0]});
                                            });
                 return Carried{written ? written : write(sums), sums};
               })
      .front();
}

Value Scan::lower() {
  Value result = emptyTensor(b, loc, sizes, element);
  if (op.getReverse())
    last = arith::SubIOp::create(b, loc, index(sizes[axisDim]), index(1));
  if (!hasInner()) {
    form = "sums of " + std::to_string(hasOuter() ? together : 1) + " rows at a time, in registers";
    result = groupsOfRows(result);
  } else {
    form = "sums of all elements after the axis at a time";
    result = hasOuter() ? loop(index(sizes.front()), result,
                               [&](Value i, Value tensor) { return wholeRows(i, tensor); })
                        : wholeRows(/*outer=*/Value(), result);
  }
  if (result.getType() == op.getResultType())
    return result;
  return tensor::ExpandShapeOp::create(b, loc, op.getResultType(), result, groups,
                                       sizesOf(b, loc, op.getInput()));
}

} // namespace

DecomposedOp buildCumulativeSum(OpBuilder &b, CumulativeSumOp op) {
  Scan scan(b, op);
  Value made = scan.lower();
  return {{made}, scan.form};
}

} // namespace kgen
