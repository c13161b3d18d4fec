// Vectors in reductions: along the dimension that is reduced, and across it.
#include "transforms/vectors/Vectorizer.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Linalg/Utils/Utils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

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

/// A vector with lanes of `neutral`, which has its type, behind its own.
Value widened(OpBuilder &b, Location loc, Value vector, Value neutral, int64_t lanes) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < lanes; ++lane)
    places.push_back(std::min(lane, count)); // `count` is a lane of `neutral`
  return vector::ShuffleOp::create(b, loc, vector, neutral, places);
}

/// All lanes of a vector combined, half of them with the other half at a time. `neutral` is a
/// vector of the same type.
Value inHalves(OpBuilder &b, Location loc, vector::CombiningKind kind, Value vector,
               Value neutral) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  auto whole = static_cast<int64_t>(llvm::PowerOf2Ceil(count));
  Value now = whole == count ? vector : widened(b, loc, vector, neutral, whole);
  for (int64_t half = whole / 2; half > 0; half /= 2) {
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, half)),
                         high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    now = vector::makeArithReduction(b, loc, kind, vector::ShuffleOp::create(b, loc, now, now, low),
                                     vector::ShuffleOp::create(b, loc, now, now, high));
  }
  return vector::ExtractOp::create(b, loc, now, ArrayRef<int64_t>{0});
}

} // namespace

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
      return loopOverVectors(b, loc, length, lanes, old, piece);
    };
    return nest(reductions.drop_back(), t, [&](Value old) {
      old = carryingLoop(b, loc, 0, streamed, 1, old,
                         [&](Value i, Value s) { return columns(i, rows, s); });
      return carryingLoop(b, loc, together, sizes[inner], 1, old,
                          [&](Value i, Value s) { return columns(i, 1, s); });
    });
  };
  return loopOverVectors(b, loc, size, width, tensor, panel);
}

/// One element of the result as a reduction along the vector dimension.
Value Vectorizer::reduceAlong(Value tensor) {
  Operation *combine = combiner();
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  auto neutral = [&](int64_t count) { return neutralVector(b, loc, combine, count); };
  auto sum = [&](Value vector, Value scalar) -> Value {
    if (isFloatExtremum(kind)) {
      int64_t count = cast<VectorType>(vector.getType()).getNumElements();
      Value most = inHalves(b, loc, kind, vector, neutral(count));
      return vector::makeArithReduction(b, loc, kind, most, scalar);
    }
    // The order of the lanes is part of the variant; a tree is both faster and more accurate than a
    // chain.
    Value total = vector::ReductionOp::create(b, loc, kind, vector, arith::FastMathFlags::reassoc);
    return vector::makeArithReduction(b, loc, kind, total, scalar);
  };
  AffineMap map = op.getIndexingMapsArray().back();
  Value result = read(tensor, map, 0);
  int64_t size = sizes[vectorDim], whole = size / lanes * lanes;
  // Four partial results hide the latency of the combination. Functions take longer than that, and
  // need many registers.
  const int64_t chains = hasFunction() ? 2 : 4;
  int64_t unrolled = whole / (chains * lanes) * (chains * lanes);
  SmallVector<Value> partial;
  if (unrolled > 0) {
    SmallVector<Value> inits(chains, neutral(lanes));
    auto forOp =
        scf::ForOp::create(b, loc, index(0), index(unrolled), index(chains * lanes), inits);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    SmallVector<Value> next;
    for (int64_t c = 0; c < chains; ++c) {
      at[vectorDim] = arith::AddIOp::create(b, loc, forOp.getInductionVar(), index(c * lanes));
      next.push_back(compute(forOp.getRegionIterArg(c), lanes));
    }
    scf::YieldOp::create(b, loc, next);
    llvm::append_range(partial, forOp.getResults());
  }
  for (int64_t i = unrolled; i < whole; i += lanes) {
    at[vectorDim] = index(i);
    partial.push_back(compute(neutral(lanes), lanes));
  }
  // What is left of the row joins the whole vectors, so that lanes are combined once.
  int64_t rest = size - whole;
  if (rest > 0) {
    at[vectorDim] = index(whole);
    Value tail = compute(neutral(rest), rest);
    if (!partial.empty())
      tail = widened(b, loc, tail, neutral(rest), lanes);
    partial.push_back(tail);
  }
  while (partial.size() > 1) {
    Value last = partial.pop_back_val();
    Value &other = partial[partial.size() / 2];
    other = vector::makeArithReduction(b, loc, kind, other, last);
  }
  if (!partial.empty())
    result = sum(partial.front(), result);
  return write(tensor, result, 0);
}

} // namespace kgen
