#include "transforms/attention/FewQueries.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/attention/AttentionPatterns.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {

using Values = OnlineSoftmax::Values;

/// A buffer that has the tensor's elements; null if they stay in L2 between calls of a program.
static Value distantMemory(OpBuilder &b, Location loc, Value tensor, const Cpu &cpu) {
  if (greatestBytesOf(tensor) <= capacity(cpu, Cache::l2))
    return {};
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  return bufferization::ToBufferOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout), tensor,
      /*read_only=*/true);
}

FewQueries::FewQueries(OpBuilder &b, AttentionOp op, TargetAttr target, const AttentionPlan &plan,
                       AttentionTasks &tasks, const ScoreScale &scale, OnlineSoftmax &softmax)
    : b(b), op(op), loc(op.getLoc()), plan(plan), tasks(tasks), scale(scale), softmax(softmax),
      element(op.getAccumulatorType()), lanes(target.lanes(element)),
      lineBytes(target.cpu().lineBytes), k(beforeRounding(op.getK())), v(beforeRounding(op.getV())),
      batch(op.getBatchRank() + 1), inTask(batch) {}

/// True for m, and for a dimension of the batch that keys share, or that they have side by side:
/// the keys of a block are contiguous with it.
bool FewQueries::isInner(unsigned dimension) {
  AffineMap map = op.getKMap();
  auto positionOf = [&](unsigned d) {
    return *map.getResultPosition(getAffineDimExpr(d, b.getContext()));
  };
  return !map.isFunctionOfDim(dimension) || positionOf(dimension) > positionOf(op.dimN());
}

Value FewQueries::forOuter(unsigned dimension, Value tile) {
  if (dimension == op.getBatchRank())
    return average(tile);
  if (isInner(dimension)) {
    rows *= plan.taskSizes[dimension];
    return forOuter(dimension + 1, tile);
  }
  return softmax.loop(0, plan.taskSizes[dimension], 1, tile, [&](Value i, ValueRange old) {
    inTask[dimension] = i;
    batch[dimension] = b.createOrFold<arith::AddIOp>(loc, tasks.start[dimension], i);
    return Values{forOuter(dimension + 1, old[0])};
  })[0];
}

/// Loops over the rows: inner dimensions of the batch, and m.
Values FewQueries::forRows(ValueRange inits, Rows body, unsigned dimension, Value row) {
  if (dimension > op.dimM())
    return body(row ? row : index(0), inits);
  if (!isInner(dimension))
    return forRows(inits, body, dimension + 1, row);
  int64_t size = plan.taskSizes[dimension];
  return softmax.loop(0, size, 1, inits, [&](Value i, ValueRange old) {
    inTask[dimension] = i;
    batch[dimension] = b.createOrFold<arith::AddIOp>(loc, tasks.start[dimension], i);
    Value before = row ? b.createOrFold<arith::MulIOp>(loc, row, index(size)) : Value();
    Value next = before ? b.createOrFold<arith::AddIOp>(loc, before, i) : i;
    return forRows(old, body, dimension + 1, next);
  });
}

Value FewQueries::run(Value tile) {
  distantK = distantMemory(b, loc, k, cpuOf(op));
  distantV = distantMemory(b, loc, v, cpuOf(op));
  rows = plan.m;
  return forOuter(0, tile);
}

Value FewQueries::scaledQueries() {
  Value source = beforeRounding(op.getQ());
  int64_t padded = llvm::alignTo(plan.d, lanes);
  Value all = emptyTensor(b, loc, ArrayRef<int64_t>{rows, padded}, element);
  return forRows(all, [&](Value row, ValueRange old) {
    Value scaled = old[0];
    for (int64_t from = 0; from < plan.d; from += lanes) {
      Value vector = read(source, op.getQMap(), {}, from, plan.d);
      if (scale.factor != 1)
        vector = arith::MulFOp::create(b, loc, vector, softmax.number(scale.factor));
      scaled = writeVector(b, loc, vector, scaled, {row, index(from)});
    }
    return Values{scaled};
  })[0];
}

Values FewQueries::noKeys() {
  int64_t padded = llvm::alignTo(plan.e, lanes);
  Values none{emptyTensor(b, loc, ArrayRef<int64_t>{rows, padded}, element),
              emptyTensor(b, loc, ArrayRef<int64_t>{rows, lanes}, element),
              emptyTensor(b, loc, ArrayRef<int64_t>{rows, lanes}, element)};
  Value zero = softmax.number(0), lowest = softmax.number(-std::numeric_limits<double>::infinity());
  return forRows(none, [&](Value row, ValueRange old) {
    Values next(old);
    for (int64_t from = 0; from < padded; from += lanes)
      next[weightedSums] = writeVector(b, loc, zero, next[weightedSums], {row, index(from)});
    next[maxima] = writeVector(b, loc, lowest, next[maxima], {row, index(0)});
    next[sums] = writeVector(b, loc, zero, next[sums], {row, index(0)});
    return next;
  });
}

/// The number of keys that the current row sees, if it sees the first ones only.
Value FewQueries::seenKeys() {
  Value seen = getValueOrCreateConstantIndexOp(b, loc, tasks.values[op.dimN()]);
  if (op.getCausal())
    seen = arith::MinSIOp::create(
        b, loc, seen,
        b.createOrFold<arith::AddIOp>(loc, batch[op.dimM()], index(*op.getCausal() + 1)));
  if (!op.getKeyCounts())
    return seen;
  Value count =
      tensor::ExtractOp::create(b, loc, op.getKeyCounts(), indices(*op.getCountsMap(), {}, {}));
  count = arith::IndexCastOp::create(b, loc, b.getIndexType(), count);
  return arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, seen, count), index(0));
}

/// The numbers of keys that all rows see, and that any row sees.
std::pair<OpFoldResult, OpFoldResult> FewQueries::seenByAllAndAny() {
  OpFoldResult keys = tasks.values[op.dimN()];
  if (!op.getKeyCounts() && !op.getCausal())
    return {keys, keys};
  Values found = forRows({getValueOrCreateConstantIndexOp(b, loc, keys), index(0)},
                         [&](Value, ValueRange old) {
                           Value seen = seenKeys();
                           return Values{arith::MinSIOp::create(b, loc, old[0], seen),
                                         arith::MaxSIOp::create(b, loc, old[1], seen)};
                         });
  return {found[0], found[1]};
}

Value FewQueries::average(Value tile) {
  queries = scaledQueries();
  auto [all, any] = seenByAllAndAny();
  OpFoldResult whole = wholeSteps(b, loc, all, plan.keyBlock);
  auto addBlocks = [&](OpFoldResult from, OpFoldResult to, Value last, ValueRange before) {
    return buildFor(b, loc, from, to, plan.keyBlock, before, [&](Value first, ValueRange old) {
      return forRows(old, [&](Value row, ValueRange carried) {
        return addKeys(row, {first, last}, carried);
      });
    });
  };
  Values carried = addBlocks(b.getIndexAttr(0), whole, {}, noKeys());
  OpFoldResult last =
      affine::makeComposedFoldedAffineApply(b, loc, b.getAffineSymbolExpr(0) - 1, {any});
  carried = addBlocks(whole, any, getValueOrCreateConstantIndexOp(b, loc, last), carried);
  return forRows(
      tile, [&](Value row, ValueRange old) { return Values{normalized(row, carried, old[0])}; })[0];
}

/// Adds a block of keys to what a row has of those before.
Values FewQueries::addKeys(Value row, const KeyBlock &keys, ValueRange before) {
  Value seen = keys.last ? seenKeys() : Value();
  auto larger = [&](Value x, Value y) { return softmax.maximumOf(x, y); };
  SmallVector<Value> all;
  Value max;
  for (int64_t from = 0; from < plan.keyBlock; from += lanes) {
    Value first = b.createOrFold<arith::AddIOp>(loc, keys.first, index(from));
    all.push_back(scores(products(row, first, keys.last), first, seen));
    max = max ? larger(max, all.back()) : all.back();
  }
  SmallVector<Value> at{row, index(0)};
  Value old = readVector(b, loc, before[maxima], at, lanes);
  max = larger(acrossLanes(max, larger), old);
  Value subtrahend = softmax.finite(max);
  Value factor = softmax.exponential(arith::SubFOp::create(b, loc, old, subtrahend));
  Value sum = readVector(b, loc, before[sums], at, lanes);
  sum = arith::MulFOp::create(b, loc, sum, factor);
  Value weights = emptyTensor(b, loc, ArrayRef<int64_t>{plan.keyBlock}, element);
  for (auto [i, score] : llvm::enumerate(all)) {
    Value weight = softmax.exponential(arith::SubFOp::create(b, loc, score, subtrahend));
    sum = arith::AddFOp::create(b, loc, sum, weight);
    weights = writeVector(b, loc, weight, weights, index(i * lanes));
  }
  OpFoldResult count = b.getIndexAttr(plan.keyBlock);
  if (seen) {
    Value left = arith::MinSIOp::create(b, loc, arith::SubIOp::create(b, loc, seen, keys.first),
                                        index(plan.keyBlock));
    count = arith::MaxSIOp::create(b, loc, left, index(0)).getResult();
  }
  return {addValues(row, before[weightedSums], factor, weights, keys.first, count),
          writeVector(b, loc, max, before[maxima], at), writeVector(b, loc, sum, before[sums], at)};
}

/// `sums` of a row times `factor`, and `count` values times their weights.
Value FewQueries::addValues(Value row, Value sums, Value factor, Value weights, Value first,
                            OpFoldResult count) {
  // Half of the registers have sums: enough to hide the latency of additions.
  const int64_t most = cpuOf(op).vectorRegisters / 2;
  for (int64_t begin = 0; begin < plan.e; begin += most * lanes) {
    SmallVector<int64_t> starts;
    Values added;
    for (int64_t from = begin; from < std::min(plan.e, begin + most * lanes); from += lanes) {
      starts.push_back(from);
      Value sum = readVector(b, loc, sums, {row, index(from)}, lanes);
      added.push_back(arith::MulFOp::create(b, loc, sum, factor));
    }
    added = buildFor(b, loc, b.getIndexAttr(0), count, 1, added, [&](Value i, ValueRange old) {
      Value weight = broadcastToLanes(b, loc, tensor::ExtractOp::create(b, loc, weights, i), lanes);
      Value key = b.createOrFold<arith::AddIOp>(loc, first, i);
      if (begin == 0 && getConstantIntValue(count))
        prefetch(distantV, op.getVMap(), key, plan.e);
      Values next;
      for (auto [from, sum] : llvm::zip(starts, old))
        next.push_back(
            vector::FMAOp::create(b, loc, weight, read(v, op.getVMap(), key, from, plan.e), sum));
      return next;
    });
    for (auto [from, sum] : llvm::zip(starts, added))
      sums = writeVector(b, loc, sum, sums, {row, index(from)});
  }
  return sums;
}

/// The reciprocal of a row's sum of weights: 0 for no keys, whose weighted sum is 0, too.
Value FewQueries::inverseOf(Value sum) {
  if (plan.sizes.leastOf(op.dimN()) == 0) {
    Value keys = getValueOrCreateConstantIndexOp(b, loc, tasks.values[op.dimN()]);
    Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, keys, index(0));
    sum = arith::SelectOp::create(b, loc, none,
                                  softmax.number(std::numeric_limits<double>::infinity()), sum);
  }
  Value inverse = arith::DivFOp::create(b, loc, softmax.number(1), sum);
  if (!op.getMaskedToZero() && !op.getNanToZero())
    return inverse;
  Value zero = softmax.number(0);
  Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
  return arith::SelectOp::create(b, loc, isZero, zero, inverse);
}

Value FewQueries::normalized(Value row, ValueRange carried, Value tile) {
  Value sum = readVector(b, loc, carried[sums], {row, index(0)}, lanes);
  Value total = acrossLanes(
      sum, [&](Value x, Value y) { return arith::AddFOp::create(b, loc, x, y).getResult(); });
  Value inverse = inverseOf(total);
  auto stored = VectorType::get({lanes}, getElementTypeOrSelf(tile.getType()));
  SmallVector<Value> of = batch;
  batch = inTask; // the tile begins at the first index of the task
  for (int64_t from = 0; from < plan.e; from += lanes) {
    Value average = readVector(b, loc, carried[weightedSums], {row, index(from)}, lanes);
    average = arith::MulFOp::create(b, loc, average, inverse);
    if (op.getNanToZero()) {
      Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, inverse, inverse);
      average = arith::SelectOp::create(b, loc, isNan, softmax.number(0), average);
    }
    if (average.getType() != stored)
      average = arith::TruncFOp::create(b, loc, stored, average);
    Value mask = from + lanes > plan.e ? lanesBelow(plan.e - from) : Value();
    tile = writeVector(b, loc, average, tile, indices(op.getResultMap(), {}, index(from)), mask);
  }
  batch = of;
  return tile;
}

} // namespace kgen
