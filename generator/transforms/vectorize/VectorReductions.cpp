// Vectors in reductions: along the dimension that is reduced, and across it.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/vectorize/VectorShuffles.h"
#include "transforms/vectorize/Vectorizer.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Linalg/Utils/Utils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <numeric>

using namespace mlir;

namespace kgen {

namespace {

/// Kinds that LLVM combines lane by lane, for the sake of NaN and of the signs of zeros.
bool isFloatExtremum(vector::CombiningKind kind) {
  using vector::CombiningKind;
  return kind == CombiningKind::MAXIMUMF || kind == CombiningKind::MINIMUMF ||
         kind == CombiningKind::MAXNUMF || kind == CombiningKind::MINNUMF;
}

/// What changes nothing, in all lanes: of sums -0, which LLVM leaves out. Of extrema that ignore
/// NaNs it is a number, so that they are known to be one (kgen-expand-math).
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

/// A vector with the lanes of `neutral`, which has `lanes` of them, behind its own.
Value widened(OpBuilder &b, Location loc, Value vector, Value neutral, int64_t lanes) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int64_t> places(lanes, vector::ShuffleOp::kPoisonIndex);
  std::iota(places.begin(), places.begin() + count, 0);
  Value wide = vector::ShuffleOp::create(b, loc, vector, vector, places);
  SmallVector<bool> own(lanes, false);
  std::fill_n(own.begin(), count, true);
  auto type = VectorType::get({lanes}, b.getI1Type());
  Value isOwn =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(own)));
  return arith::SelectOp::create(b, loc, isOwn, wide, neutral);
}

/// All lanes of a vector of 2^n of them combined, half of them with the other half at a time.
Value inHalves(OpBuilder &b, Location loc, vector::CombiningKind kind, Value now) {
  for (int64_t half = cast<VectorType>(now.getType()).getNumElements() / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, half)),
                         high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    now = vector::makeArithReduction(b, loc, kind, vector::ShuffleOp::create(b, loc, now, now, low),
                                     vector::ShuffleOp::create(b, loc, now, now, high));
  }
  return vector::ExtractOp::create(b, loc, now, ArrayRef<int64_t>{0});
}

/// The lanes of each vector combined: first those within groups, whose vectors are interleaved, and
/// then those of other groups. Where there are fewer vectors than lanes, parts of each are left.
Value interleavedRows(OpBuilder &b, Location loc, vector::CombiningKind kind,
                      ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return rows.front();
  bool isInGroup = static_cast<int64_t>(rows.size()) <= elementsInLane(rows.front());
  SmallVector<Value> low, high;
  for (auto [number, row] : llvm::enumerate(rows)) {
    bool isHigh = isInGroup ? number % 2 == 1 : number >= rows.size() / 2;
    (isHigh ? high : low).push_back(row);
  }
  Value first = interleavedRows(b, loc, kind, low), second = interleavedRows(b, loc, kind, high);
  auto join = isInGroup ? interleaveLanes : everyOtherLane;
  return vector::makeArithReduction(b, loc, kind, join(b, loc, first, second, false),
                                    join(b, loc, first, second, true));
}

/// A vector with a lane for each of the vectors: 2^n of them, as many as a group or more.
Value rowsInLanes(OpBuilder &b, Location loc, vector::CombiningKind kind, ArrayRef<Value> rows) {
  Value all = interleavedRows(b, loc, kind, rows);
  auto count = static_cast<int64_t>(rows.size());
  for (int64_t lanes = cast<VectorType>(all.getType()).getNumElements(); lanes > count; lanes /= 2)
    all = vector::makeArithReduction(b, loc, kind, everyOtherLane(b, loc, all, all, false),
                                     everyOtherLane(b, loc, all, all, true));
  return vector::ShuffleOp::create(b, loc, all, all, llvm::to_vector(llvm::seq<int64_t>(0, count)));
}

} // namespace

/// Whether so few rows are reduced that sums are best kept in registers: all of them are in the
/// first-level cache, where the order in which they are read does not matter, or the hardware's
/// prefetcher follows each of them. What is a part of a large tensor may come from memory.
bool Vectorizer::reducesFewRows(ArrayRef<int64_t> reductions) {
  constexpr int64_t few = 16, streams = 8;
  int64_t rows = 1, bytes = 0;
  for (int64_t d : reductions)
    rows *= sizes[d];
  bool isNear = true;
  for (Value input : op.getDpsInputs()) {
    bytes += bytesOf(input.getType());
    isNear &= bytesOfSource(input) <= target.getL2();
  }
  return rows <= streams || (rows <= few && isNear && bytes <= target.getL1d() / 2);
}

/// The same where the reduced dimensions lie outside of the vectors: row by row, as they follow in
/// memory, and not column by column. Several rows are added to the sums of a panel of columns at a
/// time. They are far from each other, so that each is a stream of its own to the hardware's
/// prefetcher. Sums stay in the first-level cache; in the second one while rows come from memory,
/// for pieces of rows that are longer.
Value Vectorizer::panels(Value tensor, ArrayRef<int64_t> reductions) {
  constexpr int64_t rows = 4;
  int64_t most = 0;
  for (Value input : op.getDpsInputs())
    most = std::max(most, bytesOf(input.getType()));
  int64_t panelBytes = 2 * most > target.getL2() ? target.getL2() / 8 : target.getL1d() / 4;
  AffineMap map = op.getIndexingMapsArray().back();
  int64_t bytes = bytesOfElement(tensor.getType());
  int64_t size = sizes[vectorDim], width = std::max(panelBytes / bytes / lanes, int64_t(1)) * lanes;
  Operation *combine = combiner();
  int64_t inner = reductions.back(), streamed = sizes[inner] / rows, together = streamed * rows;

  auto addRows = [&](Value start, int64_t count, Value row, int64_t rowCount, Value t) {
    at[vectorDim] = start;
    Value sum = read(t, map, count);
    if (isa_and_present<arith::MaxNumFOp, arith::MinNumFOp>(combine)) {
      Value neutral = neutralVector(b, loc, combine, count);
      sum = vector::makeArithReduction(b, loc, *linalg::getCombinerOpKind(combine), neutral, sum);
    }
    for (int64_t r = 0; r < rowCount; ++r) {
      at[inner] =
          r == 0 ? row : arith::AddIOp::create(b, loc, row, index(r * streamed)).getResult();
      sum = compute(sum, count);
    }
    return write(t, sum, count);
  };
  // `length` columns from `first` on.
  auto panel = [&](Value first, int64_t length, Value t) {
    auto columns = [&](Value row, int64_t rowCount, Value old) {
      auto piece = [&](Value i, int64_t count, Value carried) {
        Value start = arith::AddIOp::create(b, loc, first, i);
        return addRows(start, count, row, rowCount, carried);
      };
      return buildVectorLoop(b, loc, length, lanes, old, piece);
    };
    return nest(reductions.drop_back(), t, [&](Value old) {
      old = buildFor(b, loc, 0, streamed, 1, old,
                     [&](Value i, Value s) { return columns(i, rows, s); });
      return buildFor(b, loc, together, sizes[inner], 1, old,
                      [&](Value i, Value s) { return columns(i, 1, s); });
    });
  };
  return buildVectorLoop(b, loc, size, width, tensor, panel);
}

/// What few vectors and `start` come to, in chains of some that do not wait for each other.
Value Vectorizer::inChains(Value start, int64_t reduced, int64_t count) {
  constexpr int64_t inChain = 4;
  Operation *combine = combiner();
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  SmallVector<Value> partial = {start};
  for (int64_t i = 0; i < sizes[reduced]; ++i) {
    if (i > 0 && i % inChain == 0)
      partial.push_back(neutralVector(b, loc, combine, count));
    at[reduced] = index(i);
    partial.back() = compute(partial.back(), count);
  }
  while (partial.size() > 1) {
    Value last = partial.pop_back_val();
    partial.back() = vector::makeArithReduction(b, loc, kind, partial.back(), last);
  }
  return partial.front();
}

/// What a row comes to in each lane: four partial results hide the latency of the combination.
/// Functions take longer than that, and need many registers. Of a row that is shorter than a
/// vector, so many lanes, in the last of which is what changes nothing.
Value Vectorizer::lanesOfRow(int64_t ofShortRow) {
  Operation *combine = combiner();
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  auto neutral = [&](int64_t count) { return neutralVector(b, loc, combine, count); };
  const int64_t chains = hasFunction() ? 2 : 4;
  int64_t size = sizes[vectorDim], inVectors = size / lanes * lanes;
  int64_t unrolled = inVectors / (chains * lanes) * (chains * lanes);
  SmallVector<Value> partial;
  if (unrolled > 0) {
    SmallVector<Value> inits(chains, neutral(lanes));
    partial =
        buildFor(b, loc, 0, unrolled, chains * lanes, inits, [&](Value first, ValueRange sums) {
          SmallVector<Value> next;
          for (int64_t c = 0; c < chains; ++c) {
            at[vectorDim] = b.createOrFold<arith::AddIOp>(loc, first, index(c * lanes));
            next.push_back(compute(sums[c], lanes));
          }
          return next;
        });
  }
  for (int64_t i = unrolled; i < inVectors; i += lanes) {
    at[vectorDim] = index(i);
    partial.push_back(compute(neutral(lanes), lanes));
  }
  // What is left of the row joins the whole vectors, so that lanes are combined once.
  if (int64_t rest = size - inVectors; rest > 0) {
    at[vectorDim] = index(inVectors);
    Value tail = compute(neutral(rest), rest);
    int64_t width = partial.empty() ? ofShortRow : lanes;
    if (rest < width)
      tail = widened(b, loc, tail, neutral(width), width);
    partial.push_back(tail);
  }
  while (partial.size() > 1) {
    Value last = partial.pop_back_val();
    Value &other = partial[partial.size() / 2];
    other = vector::makeArithReduction(b, loc, kind, other, last);
  }
  return partial.front();
}

/// One element of the result as a reduction along the vector dimension.
Value Vectorizer::reduceAlong(Value tensor) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner());
  AffineMap map = op.getIndexingMapsArray().back();
  Value result = read(tensor, map, 0);
  if (sizes[vectorDim] == 0)
    return tensor;
  int64_t count = std::min(sizes[vectorDim], lanes);
  // The order of the lanes is part of the variant; a tree is both faster and more accurate than a
  // chain.
  Value all =
      isFloatExtremum(kind)
          ? inHalves(b, loc, kind, lanesOfRow(static_cast<int64_t>(llvm::PowerOf2Ceil(count))))
          : vector::ReductionOp::create(b, loc, kind, lanesOfRow(count),
                                        arith::FastMathFlags::reassoc)
                .getResult();
  return write(tensor, vector::makeArithReduction(b, loc, kind, all, result), 0);
}

/// `count` elements of the result, each of them a row's.
Value Vectorizer::reduceRows(Value tensor, int64_t rowDim, int64_t count) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combiner());
  Value first = at[rowDim];
  SmallVector<Value> where = position(op.getIndexingMapsArray().back()), rows;
  for (int64_t r = 0; r < count; ++r) {
    at[rowDim] = b.createOrFold<arith::AddIOp>(loc, first, index(r));
    rows.push_back(lanesOfRow(lanes));
  }
  Value sums = rowsInLanes(b, loc, kind, rows);
  Value old = readVector(b, loc, tensor, where, count);
  return writeVector(b, loc, vector::makeArithReduction(b, loc, kind, sums, old), tensor, where);
}

/// The dimension of the rows that are reduced together, or -1. To combine the lanes of a vector
/// takes as many steps as the halves, quarters and so on; of as many rows as there are lanes,
/// little more than one step each. Worth it where rows are short; sums of several vectors come as
/// fast as memory does.
int64_t Vectorizer::rowsTogether() {
  constexpr int64_t mostLanes = 16, mostVectors = 8, mostWork = 48, workOfFunction = 20;
  int64_t work = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    work += isMathFunction(&inner) ? workOfFunction : 1;
  int64_t vectors = llvm::divideCeil(sizes[vectorDim], lanes), most = 0;
  for (Value input : op.getDpsInputs())
    most = std::max(most, bytesOf(input.getType()));
  if (most > target.getL2() && vectors > 1 && !hasFunction() &&
      !isFloatExtremum(*linalg::getCombinerOpKind(combiner())))
    return -1;
  AffineMap map = op.getIndexingMapsArray().back();
  if (lanes < 2 || lanes > mostLanes || vectors == 0 || vectors > mostVectors ||
      vectors * work > mostWork || map.getNumResults() == 0)
    return -1;
  auto row = dyn_cast<AffineDimExpr>(map.getResults().back());
  int64_t dim = row ? static_cast<int64_t>(row.getPosition()) : -1;
  return dim >= 0 && sizes[dim] > 1 ? dim : -1;
}

/// Reductions along the vector dimension; around them, the other loops in the order in which the
/// largest operand lies in memory, so that it is read as it lies.
Value Vectorizer::reduceInMemoryOrder(Value tensor, ArrayRef<int64_t> loops) {
  OpOperand *largest = nullptr;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!largest || bytesOf(input->get().getType()) > bytesOf(largest->get().getType()))
      largest = input;
  SmallVector<int64_t> order(loops);
  if (largest) {
    AffineMap map = op.getMatchingIndexingMap(largest);
    auto placeOf = [&](int64_t loop) {
      auto position = map.getResultPosition(b.getAffineDimExpr(loop));
      return position ? static_cast<int64_t>(*position) : -1;
    };
    llvm::stable_sort(order, [&](int64_t x, int64_t y) { return placeOf(x) < placeOf(y); });
  }
  int64_t rowDim = rowsTogether();
  if (rowDim < 0 || order.empty() || order.back() != rowDim)
    return nest(order, tensor, [&](Value t) { return reduceAlong(t); });
  order.pop_back();
  // As many as there are lanes, then as many as in a group of them.
  Type element = getElementTypeOrSelf(tensor.getType());
  int64_t fewer = std::min<int64_t>(lanes, laneBits / element.getIntOrFloatBitWidth());
  return nest(order, tensor, [&](Value t) {
    int64_t done = 0;
    for (int64_t count : {sizes[vectorDim] > lanes ? fewer : lanes, fewer, int64_t(1)}) {
      int64_t end = done + (sizes[rowDim] - done) / count * count;
      t = buildFor(b, loc, done, end, count, t, [&](Value i, Value inner) {
        at[rowDim] = i;
        return count == 1 ? reduceAlong(inner) : reduceRows(inner, rowDim, count);
      });
      done = end;
    }
    return t;
  });
}

} // namespace kgen
