// Reads and combines the image columns that windows along a row share.
#include "transforms/vectorize/WindowColumnReuse.h"

#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorShuffles.h"
#include "transforms/vectorize/VectorizeBody.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen {
namespace {

/// Position of the column `further` after the first tap in deinterleaved vectors of `width`
/// elements: its phase within a stride, whole vectors before it, and the lane in the next vector.
struct Shift {
  int64_t phase, vectorIndex, lanes;

  Shift(int64_t further, int64_t step, int64_t width)
      : phase(further % step), vectorIndex(further / step / width), lanes(further / step % width) {}
};

} // namespace

WindowColumnReuse::WindowColumnReuse(OpBuilder &builder, WindowShapeNCHW shape)
    : WindowShapeNCHW(std::move(shape)), b(builder), loc(op.getLoc()), ivs(sizes.size()) {
  listTaps();
}

Value WindowColumnReuse::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

void WindowColumnReuse::beginVector(Value begin, int64_t results, std::map<int64_t, Value> known) {
  first = begin;
  width = results;
  combined = std::move(known);
}

void WindowColumnReuse::listTaps() {
  Tap tap(sizes.size(), 0);
  auto list = [&](auto self, unsigned loop) -> void {
    if (loop < sizes.size()) {
      for (tap[loop] = 0; tap[loop] < sizes[loop]; ++tap[loop])
        self(self, loop + 1);
      tap[loop] = 0;
      return;
    }
    int64_t offset = 0;
    for (auto [step, by] : llvm::zip(coefficients[columns.position], tap))
      offset += step * by;
    taps[offset].push_back(tap);
  };
  list(list, pixel + 1);
  active = taps;
}

int64_t WindowColumnReuse::endOf(int64_t first, int64_t count) const {
  int64_t width = widthOf(count), n = columns.stride, lowest = taps.begin()->first, end = 0;
  for (const auto &[offset, inColumn] : taps) {
    Shift shift(offset - lowest, n, width);
    int64_t whole = (shift.vectorIndex + 1) * n * width,
            rest = shift.lanes == 0 ? 0 : ((shift.lanes - 1) * n + shift.phase) / width + 1;
    end = std::max(end, readsEachColumn() ? offset - lowest + width : whole + rest * width);
  }
  return beginOf(first) + end;
}

Value WindowColumnReuse::neutral(int64_t width) {
  TypedAttr element = *arith::getNeutralElement(combine);
  if (isa<arith::AddFOp>(combine)) // LLVM folds its addition away
    element = b.getFloatAttr(element.getType(), -0.0);
  auto type = VectorType::get({width}, element.getType());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(element)));
}

/// Reads `width` elements of an image row from column `first` * stride + `offset` on. Elements
/// known to be outside of the image are the padding.
Value WindowColumnReuse::readColumns(const Tap &tap, Value first, int64_t offset, int64_t width) {
  SmallVector<Value> indices;
  for (unsigned position = 0; position < columns.position; ++position) {
    OpFoldResult further =
        unpaddedOffsets.empty() ? OpFoldResult(b.getIndexAttr(0)) : unpaddedOffsets[position];
    int64_t constant = getConstantIntValue(further).value_or(0);
    auto sum = dyn_cast_if_present<Value>(further);
    for (auto [loop, step] : llvm::enumerate(coefficients[position])) {
      constant += step * tap[loop];
      if (step == 0 || loop >= pixel)
        continue;
      Value term = b.createOrFold<arith::MulIOp>(loc, ivs[loop], index(step));
      sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, term) : term;
    }
    if (sum && constant != 0)
      sum = b.createOrFold<arith::AddIOp>(loc, sum, index(constant));
    indices.push_back(sum ? sum : index(constant));
  }
  std::optional<int64_t> known = getConstantIntValue(first);
  if (!known) {
    Value start = b.createOrFold<arith::MulIOp>(loc, first, index(columns.stride));
    indices.push_back(b.createOrFold<arith::AddIOp>(loc, start, index(offset)));
    return readVector(b, loc, unpadded, indices, width);
  }
  int64_t begin = *known * columns.stride + offset, low = std::max<int64_t>(begin, 0),
          high = std::min(begin + width, columns.size);
  indices.push_back(index(low));
  if (high - low == width)
    return readVector(b, loc, unpadded, indices, width);
  Type element = getElementTypeOrSelf(unpadded.getType());
  auto type = VectorType::get({width}, element);
  Attribute outside = b.getZeroAttr(element);
  if (pad)
    matchPattern(pad.getConstantPaddingValue(), m_Constant(&outside));
  Value padding = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, outside));
  if (high <= low)
    return padding;
  SmallVector<int64_t> mask(width, vector::ShuffleOp::kPoisonIndex), chosen;
  for (int64_t lane = 0; lane < width; ++lane) {
    bool isInside = begin + lane >= low && begin + lane < high;
    if (isInside)
      mask[lane] = begin + lane - low;
    chosen.push_back(isInside ? lane : width);
  }
  Value inside = readVector(b, loc, unpadded, indices, high - low);
  Value moved = vector::ShuffleOp::create(b, loc, inside, inside, mask);
  return vector::ShuffleOp::create(b, loc, moved, padding, chosen);
}

/// Combines what the taps of a column read.
Value WindowColumnReuse::combineColumn(Value first, int64_t offset, int64_t width,
                                       const std::vector<Tap> &inColumn) {
  Value sum = neutral(width);
  for (const Tap &tap : inColumn) {
    IRMapping values;
    values.map(op.getBody()->getArgument(image), readColumns(tap, first, offset, width));
    values.map(op.getRegionOutputArgs().front(), sum);
    sum = vectorizeBody(b, loc, *op.getBody(), values, width);
  }
  return sum;
}

Value WindowColumnReuse::columnVector(int64_t number) {
  Value &known = combined[number];
  if (!known)
    known = combineColumn(first, columns.offset + taps.begin()->first + number * width, width,
                          active.begin()->second);
  return known;
}

std::set<int64_t> WindowColumnReuse::vectorsOfColumns() const {
  std::set<int64_t> numbers;
  int64_t n = columns.stride;
  for (const auto &[offset, inColumn] : taps) {
    Shift shift(offset - taps.begin()->first, n, width);
    auto add = [&](int64_t vectorIndex, int64_t count) {
      for (int64_t number = 0; number <= ((count - 1) * n + shift.phase) / width; ++number)
        numbers.insert(vectorIndex * n + number);
    };
    add(shift.vectorIndex, width);
    if (shift.lanes != 0)
      add(shift.vectorIndex + 1, shift.lanes);
  }
  return numbers;
}

/// Returns the first `count` elements of every n-th column, n being the stride: from vector `part`
/// * n on.
Value WindowColumnReuse::lanesOf(int64_t vectorIndex, int64_t phase, int64_t count) {
  int64_t n = columns.stride, vectors = ((count - 1) * n + phase) / width + 1;
  SmallVector<Value> all;
  for (int64_t number = 0; number < vectors; ++number)
    all.push_back(columnVector(vectorIndex * n + number));
  if (all.size() == 1) // possibly shorter than a vector
    all.push_back(all.front());
  return n == 1 ? all.front() : deinterleave(b, loc, all, n, phase);
}

/// Columns of taps that are a multiple of the stride apart read the same elements, lanes apart.
Value WindowColumnReuse::combineColumnOfTaps(int64_t offset) {
  int64_t further = offset - taps.begin()->first;
  if (readsEachColumn())
    return combineColumn(first, columns.offset + offset, width, active.begin()->second);
  Shift shift(further, columns.stride, width);
  Value low = lanesOf(shift.vectorIndex, shift.phase, width);
  if (shift.lanes == 0)
    return low;
  Value high = lanesOf(shift.vectorIndex + 1, shift.phase, shift.lanes);
  return vector::ShuffleOp::create(b, loc, low, high,
                                   llvm::to_vector(llvm::seq(shift.lanes, shift.lanes + width)));
}

} // namespace kgen
