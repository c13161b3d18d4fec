// Vectorized reductions: along the vectors (horizontal) and across them (vertical).
#include "analysis/ViewSource.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/VectorShuffles.h"
#include "transforms/vectorize/Vectorizer.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/Utils/Utils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <numeric>

using namespace mlir;

namespace kgen {

namespace {

/// True for kinds that LLVM lowers to chains of scalars, because of NaN and signed zeros.
bool isFloatExtremum(vector::CombiningKind kind) {
  using vector::CombiningKind;
  return kind == CombiningKind::MAXIMUMF || kind == CombiningKind::MINIMUMF ||
         kind == CombiningKind::MAXNUMF || kind == CombiningKind::MINNUMF;
}

/// Returns the neutral element in all lanes. For sums it is -0, which LLVM folds away. For maxnum
/// and minnum it is an infinity instead of NaN, so that kgen-expand-math knows the result to be a
/// number.
Value neutralVector(OpBuilder &b, Location loc, Operation *combine, int64_t count) {
  TypedAttr element = *arith::getNeutralElement(combine);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combine)) {
    const llvm::fltSemantics &format = cast<FloatType>(element.getType()).getFloatSemantics();
    element = b.getFloatAttr(element.getType(),
                             llvm::APFloat::getInf(format, isa<arith::MaxNumFOp>(combine)));
  }
  if (isa<arith::AddFOp>(combine))
    element = b.getFloatAttr(element.getType(), -0.0);
  auto type = VectorType::get({count}, element.getType());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(element)));
}

/// Extends `vector` to `lanes` lanes by those of `neutral`.
Value extendWithNeutral(OpBuilder &b, Location loc, Value vector, Value neutral, int64_t lanes) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int64_t> mask(lanes, vector::ShuffleOp::kPoisonIndex);
  std::iota(mask.begin(), mask.begin() + count, 0);
  Value wide = vector::ShuffleOp::create(b, loc, vector, vector, mask);
  SmallVector<bool> own(lanes, false);
  std::fill_n(own.begin(), count, true);
  auto type = VectorType::get({lanes}, b.getI1Type());
  Value isOwn =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(own)));
  return arith::SelectOp::create(b, loc, isOwn, wide, neutral);
}

/// Combines all lanes of a vector, whose number is a power of two, half by half.
Value reduceByHalves(OpBuilder &b, Location loc, vector::CombiningKind kind, Value current) {
  assert(llvm::isPowerOf2_64(cast<VectorType>(current.getType()).getNumElements()));
  for (int64_t half = cast<VectorType>(current.getType()).getNumElements() / 2; half > 0;
       half /= 2) {
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, half)),
                         high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    current = vector::makeArithReduction(b, loc, kind,
                                         vector::ShuffleOp::create(b, loc, current, current, low),
                                         vector::ShuffleOp::create(b, loc, current, current, high));
  }
  return vector::ExtractOp::create(b, loc, current, ArrayRef<int64_t>{0});
}

/// Combines the lanes of each vector: first within lanes of 128 bits, by interleaving the vectors,
/// then across them. If there are fewer vectors than lanes, partial results are left.
Value combineInterleaved(OpBuilder &b, Location loc, vector::CombiningKind kind,
                         ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return rows.front();
  bool isInLane = static_cast<int64_t>(rows.size()) <= elementsInLane(rows.front());
  SmallVector<Value> low, high;
  for (auto [number, row] : llvm::enumerate(rows)) {
    bool isHigh = isInLane ? number % 2 == 1 : number >= rows.size() / 2;
    (isHigh ? high : low).push_back(row);
  }
  Value first = combineInterleaved(b, loc, kind, low),
        second = combineInterleaved(b, loc, kind, high);
  auto interleave = isInLane ? interleaveLanes : everyOtherLane;
  return vector::makeArithReduction(b, loc, kind, interleave(b, loc, first, second, false),
                                    interleave(b, loc, first, second, true));
}

/// Returns a vector with the result of each row in a lane. The number of rows is a power of two,
/// and at least the elements of a 128-bit lane.
Value reduceRowsToLanes(OpBuilder &b, Location loc, vector::CombiningKind kind,
                        ArrayRef<Value> rows) {
  assert(llvm::isPowerOf2_64(rows.size()) &&
         static_cast<int64_t>(rows.size()) >= elementsInLane(rows.front()));
  Value all = combineInterleaved(b, loc, kind, rows);
  auto count = static_cast<int64_t>(rows.size());
  for (int64_t lanes = cast<VectorType>(all.getType()).getNumElements(); lanes > count; lanes /= 2)
    all = vector::makeArithReduction(b, loc, kind, everyOtherLane(b, loc, all, all, false),
                                     everyOtherLane(b, loc, all, all, true));
  return vector::ShuffleOp::create(b, loc, all, all, llvm::to_vector(llvm::seq<int64_t>(0, count)));
}

} // namespace

/// True if so few rows are reduced that accumulators best stay in registers. Either the L1 holds
/// all rows, and their order does not matter, or the hardware prefetcher follows each of them. A
/// slice of a large tensor may come from memory.
bool Vectorizer::reducesFewRows(ArrayRef<int64_t> reductions) {
  const Cpu &cpu = target.cpu();
  int64_t rows = sizes.greatestProduct(reductions), bytes = 0;
  bool isInCache = true;
  for (Value input : op.getDpsInputs()) {
    bytes += greatestBytesOf(input);
    isInCache &= fits(cpu, greatestBytesOf(viewSource(input)), Cache::l2);
  }
  return rows <= cpu.heuristics.maxHardwareStreams ||
         (rows <= cpu.heuristics.maxRowsInRegisters && isInCache &&
          fits(cpu, bytes, Cache::l1, Share::half));
}

/// Reduces across vectors row by row, in memory order. Four rows at a time are added to a panel of
/// columns; they are far apart, so that each is an access stream of its own to the hardware
/// prefetcher. The panel's accumulators stay in the L1, or in the L2 if rows come from memory, so
/// that runs of rows are longer.
Value Vectorizer::panels(Value tensor, ArrayRef<int64_t> reductions) {
  const Cpu &cpu = target.cpu();
  const int64_t rows = cpu.heuristics.hardwareStreams; // added to the accumulators at a time
  int64_t maxBytes = 0;
  for (Value input : op.getDpsInputs())
    maxBytes = std::max(maxBytes, greatestBytesOf(input));
  int64_t panelBytes = fits(cpu, 2 * maxBytes, Cache::l2) ? capacity(cpu, Cache::l1, Share::quarter)
                                                          : capacity(cpu, Cache::l2, Share::eighth);
  AffineMap map = op.getIndexingMapsArray().back();
  int64_t bytes = bytesOfElement(tensor.getType());
  int64_t width = std::max(panelBytes / bytes / lanes, int64_t(1)) * lanes;
  Operation *combine = combiner();
  int64_t inner = reductions.back();
  OpFoldResult inStreams = wholeSteps(b, loc, ends[inner], rows);
  auto startOf = [&](int64_t stream) {
    AffineExpr size = b.getAffineSymbolExpr(0);
    return affine::makeComposedFoldedAffineApply(b, loc, size.floorDiv(rows) * stream,
                                                 {ends[inner]});
  };
  OpFoldResult rowsPerStream = startOf(1), none = b.getIndexAttr(0);

  auto addRows = [&](Value start, int64_t count, Value row, int64_t rowCount, Value t) {
    ivs[vectorDim] = start;
    Value sum = read(t, map, count);
    if (isa_and_present<arith::MaxNumFOp, arith::MinNumFOp>(combine)) {
      Value neutral = neutralVector(b, loc, combine, count);
      sum = vector::makeArithReduction(b, loc, *linalg::getCombinerOpKind(combine), neutral, sum);
    }
    for (int64_t r = 0; r < rowCount; ++r) {
      ivs[inner] = r == 0 ? row : arith::AddIOp::create(b, loc, row, index(startOf(r))).getResult();
      sum = compute(sum, count);
    }
    return write(t, sum, count);
  };
  // Columns from `first` to `first + length`.
  auto panel = [&](Value first, OpFoldResult length, Value t) {
    auto columns = [&](Value row, int64_t rowCount, Value old) {
      auto addVector = [&](Value i, int64_t count, Value carried) {
        Value start = arith::AddIOp::create(b, loc, first, i);
        return addRows(start, count, row, rowCount, carried);
      };
      return vectorLoop(length, lanes, old, addVector);
    };
    return nest(reductions.drop_back(), t, [&](Value old) {
      old = buildFor(b, loc, none, rowsPerStream, 1, old,
                     [&](Value i, Value s) { return columns(i, rows, s); });
      return buildFor(b, loc, inStreams, ends[inner], 1, old,
                      [&](Value i, Value s) { return columns(i, 1, s); });
    });
  };
  auto wholePanel = [&](Value first, int64_t length, Value t) {
    return panel(first, b.getIndexAttr(length), t);
  };
  auto lastPanel = [&](Value first, Value length, Value t) { return panel(first, length, t); };
  return buildVectorLoop(b, loc, ends[vectorDim], width, tensor, wholePanel, lastPanel);
}

/// Combines few vectors and `start` in independent chains, which hide the latency of the combiner.
Value Vectorizer::reduceInChains(Value start, int64_t reduced, int64_t count) {
  const int64_t chainLength = target.tradeoffs().independentChains; // vectors
  Operation *combine = combiner();
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  SmallVector<Value> partial = {start};
  for (int64_t i = 0; i < sizes[reduced]; ++i) {
    if (i > 0 && i % chainLength == 0)
      partial.push_back(neutralVector(b, loc, combine, count));
    ivs[reduced] = index(i);
    partial.back() = compute(partial.back(), count);
  }
  while (partial.size() > 1) {
    Value last = partial.pop_back_val();
    partial.back() = vector::makeArithReduction(b, loc, kind, partial.back(), last);
  }
  return partial.front();
}

/// Combines vectors of partial results; number i joins number i / 2, from the last one on, so that
/// neutral vectors at the end change nothing.
Value Vectorizer::combineParts(SmallVector<Value> parts) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner());
  while (parts.size() > 1) {
    Value last = parts.pop_back_val();
    Value &other = parts[parts.size() / 2];
    other = vector::makeArithReduction(b, loc, kind, other, last);
  }
  return parts.front();
}

/// Computes the elements of a row before `end`, a multiple of as many vectors as there are chains:
/// each chain sums up every so many vectors.
SmallVector<Value> Vectorizer::partialResultsInChains(OpFoldResult end) {
  int64_t chains = chainsOfRow();
  OpFoldResult first = b.getIndexAttr(0);
  SmallVector<Value> inits(chains, neutral(lanes));
  return buildFor(b, loc, first, end, chains * lanes, inits, [&](Value i, ValueRange sums) {
    SmallVector<Value> next;
    for (int64_t c = 0; c < chains; ++c) {
      ivs[vectorDim] = b.createOrFold<arith::AddIOp>(loc, i, index(c * lanes));
      next.push_back(compute(sums[c], lanes));
    }
    return next;
  });
}

/// The neutral element of the combiner in all lanes.
Value Vectorizer::neutral(int64_t count) { return neutralVector(b, loc, combiner(), count); }

/// Returns the partial results of a row in lanes. A row shorter than a vector gives `shortRowLanes`
/// lanes, the last of which are neutral.
Value Vectorizer::partialResults(int64_t shortRowLanes) {
  if (sizes.isDynamic(vectorDim))
    return partialResultsOfDynamicRow();
  int64_t chains = chainsOfRow();
  int64_t size = sizes[vectorDim], inVectors = size / lanes * lanes;
  int64_t unrolled = inVectors / (chains * lanes) * (chains * lanes);
  SmallVector<Value> partial;
  if (unrolled > 0)
    partial = partialResultsInChains(b.getIndexAttr(unrolled));
  for (int64_t i = unrolled; i < inVectors; i += lanes) {
    ivs[vectorDim] = index(i);
    partial.push_back(compute(neutral(lanes), lanes));
  }
  // The tail joins the whole vectors, so that lanes are combined once.
  if (int64_t rest = size - inVectors; rest > 0) {
    ivs[vectorDim] = index(inVectors);
    Value tail = compute(neutral(rest), rest);
    int64_t width = partial.empty() ? shortRowLanes : lanes;
    if (rest < width)
      tail = extendWithNeutral(b, loc, tail, neutral(width), width);
    partial.push_back(tail);
  }
  return combineParts(partial);
}

/// Reduces one element of the result along the vector dimension.
Value Vectorizer::reduceHorizontally(Value tensor) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner());
  AffineMap map = op.getIndexingMapsArray().back();
  Value result = read(tensor, map, 0);
  if (sizes.greatest(vectorDim) == 0)
    return tensor;
  int64_t count = sizes.isDynamic(vectorDim) ? lanes : std::min(sizes[vectorDim], lanes);
  // The order of the lanes is fixed by the target, so results are reproducible. A tree is faster
  // and more accurate than a chain.
  Value all = isFloatExtremum(kind)
                  ? reduceByHalves(b, loc, kind,
                                   partialResults(static_cast<int64_t>(llvm::PowerOf2Ceil(count))))
                  : vector::ReductionOp::create(b, loc, kind, partialResults(count),
                                                arith::FastMathFlags::reassoc)
                        .getResult();
  return write(tensor, vector::makeArithReduction(b, loc, kind, all, result), 0);
}

/// Computes `count` elements of the result, each from a row.
Value Vectorizer::reduceRows(Value tensor, int64_t rowDim, int64_t count) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner());
  Value first = ivs[rowDim];
  SmallVector<Value> indices = operandIndices(op.getIndexingMapsArray().back()), rows;
  for (int64_t r = 0; r < count; ++r) {
    ivs[rowDim] = b.createOrFold<arith::AddIOp>(loc, first, index(r));
    rows.push_back(partialResults(lanes));
  }
  Value sums = reduceRowsToLanes(b, loc, kind, rows);
  Value old = readVector(b, loc, tensor, indices, count);
  return writeVector(b, loc, vector::makeArithReduction(b, loc, kind, sums, old), tensor, indices);
}

/// Computes one element of the result from its row: in the order in which reduceRows combines
/// lanes, so that a row's result does not depend on how many rows there are.
Value Vectorizer::reduceLikeJointRow(Value tensor) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner());
  AffineMap map = op.getIndexingMapsArray().back();
  Value result = read(tensor, map, 0);
  Value row = partialResults(lanes);
  Value sum = reduceRowsToLanes(b, loc, kind, SmallVector<Value>(elementsInLane(row), row));
  Value all = vector::ExtractOp::create(b, loc, sum, ArrayRef<int64_t>{0});
  return write(tensor, vector::makeArithReduction(b, loc, kind, all, result), 0);
}

/// Returns the dimension of rows that are reduced together, or -1. Combining the lanes of one
/// vector takes log2(lanes) shuffles; of as many rows as lanes, little more than one each. Not
/// worth it for long rows, nor for sums of several vectors from memory, which is slower.
int64_t Vectorizer::jointRowDim() {
  const Cpu &cpu = target.cpu();
  const Heuristics &limits = cpu.heuristics;
  const int64_t maxLanes = limits.rowsReducedTogether;
  int64_t work = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    work += isMathFunction(&inner) ? limits.functionOperations : 1;
  if (sizes.isDynamic(vectorDim))
    return -1;
  int64_t vectors = llvm::divideCeil(sizes[vectorDim], lanes), maxBytes = 0;
  for (Value input : op.getDpsInputs())
    maxBytes = std::max(maxBytes, greatestBytesOf(input));
  if (!fits(cpu, maxBytes, Cache::l2) && vectors > 1 && !hasFunction() &&
      !isFloatExtremum(*linalg::getCombinerOpKind(combiner())))
    return -1;
  AffineMap map = op.getIndexingMapsArray().back();
  if (lanes < 2 || lanes > maxLanes || vectors == 0 || vectors > limits.maxJointVectors ||
      vectors * work > limits.maxJointOperations || map.getNumResults() == 0)
    return -1;
  auto row = dyn_cast<AffineDimExpr>(map.getResults().back());
  int64_t dim = row ? static_cast<int64_t>(row.getPosition()) : -1;
  return dim >= 0 && sizes.greatest(dim) > 1 ? dim : -1;
}

/// Reduces along the vector dimension. The other loops follow the memory order of the largest
/// operand.
Value Vectorizer::reduceInMemoryOrder(Value tensor, ArrayRef<int64_t> loops) {
  OpOperand *largest = nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!largest || greatestBytesOf(input->get()) > greatestBytesOf(largest->get()))
      largest = input;
  SmallVector<int64_t> order(loops);
  if (largest) {
    AffineMap map = op.getMatchingIndexingMap(largest);
    auto dimensionOf = [&](int64_t loop) {
      auto position = map.getResultPosition(b.getAffineDimExpr(loop));
      return position ? static_cast<int64_t>(*position) : -1;
    };
    llvm::stable_sort(order, [&](int64_t x, int64_t y) { return dimensionOf(x) < dimensionOf(y); });
  }
  int64_t rowDim = jointRowDim();
  if (rowDim < 0 || order.empty() || order.back() != rowDim)
    return nest(order, tensor, [&](Value t) { return reduceHorizontally(t); });
  order.pop_back();
  // As many rows as there are lanes, then as many as in a 128-bit lane, then one.
  Type element = getElementTypeOrSelf(tensor.getType());
  int64_t laneRows = std::min<int64_t>(lanes, laneBits / element.getIntOrFloatBitWidth());
  return nest(order, tensor, [&](Value t) {
    OpFoldResult done = b.getIndexAttr(0);
    for (int64_t count : {sizes[vectorDim] > lanes ? laneRows : lanes, laneRows, int64_t(1)}) {
      // Multiples of each count are multiples of the next one.
      OpFoldResult end = wholeSteps(b, loc, ends[rowDim], count);
      t = buildFor(b, loc, done, end, count, t, [&](Value i, Value inner) {
        ivs[rowDim] = i;
        if (count > 1)
          return reduceRows(inner, rowDim, count);
        return sizes.isDynamic(rowDim) ? reduceLikeJointRow(inner) : reduceHorizontally(inner);
      });
      done = end;
    }
    return t;
  });
}

} // namespace kgen
