#include "transforms/windows/RowWindows.h"

#include "transforms/loops/LaneShuffles.h"
#include "transforms/loops/VectorCode.h"
#include "transforms/loops/VectorLoops.h"
#include "transforms/windows/RowWindowShape.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

#include <map>
#include <set>

using namespace mlir;

namespace kgen {
namespace {

/// Writes the loops for one operation.
class RowWindows : RowWindowShape {
public:
  RowWindows(IRRewriter &rewriter, RowWindowShape shape, TargetAttr target)
      : RowWindowShape(std::move(shape)), b(rewriter), consumer(findConsumer()), loc(op.getLoc()),
        at(sizes.size()) {
    int64_t bits = widestBits(op);
    if (consumer)
      bits = std::max(bits, widestBits(consumer));
    lanes = std::max<int64_t>(1, target.getVectorBits() / bits);
    listTaps();
  }

  void run() {
    linalg::GenericOp last = consumer ? consumer : op;
    b.setInsertionPoint(last);
    Value result = overLoops(windowDestination(op, last), 0);
    b.replaceOp(last, result);
    if (consumer)
      b.eraseOp(op);
  }

private:
  using Tap = SmallVector<int64_t>; ///< its place among the loops

  linalg::GenericOp findConsumer();
  void listTaps();
  Value overLoops(Value tensor, unsigned loop);
  Value overRow(Value tensor);
  Value overPieces(Value tensor, int64_t from, int64_t to);
  Value piece(Value tensor, Value first, int64_t count, std::map<int64_t, Value> known = {});
  Value columnsOf(int64_t number);
  std::set<int64_t> vectorsOfColumns() const;
  Value column(Value first, int64_t offset, int64_t width, const std::vector<Tap> &inColumn);
  Value readColumns(const Tap &tap, Value first, int64_t offset, int64_t width);
  Value lanesOf(int64_t part, int64_t phase, int64_t count);
  Value columnOfTaps(int64_t place);
  Value readOther(Value tensor, AffineMap map, ArrayRef<Value> place, int64_t count);
  Value neutral(int64_t width);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  int64_t widthOf(int64_t count) const { return static_cast<int64_t>(llvm::PowerOf2Ceil(count)); }
  /// Where a piece of `count` results that begins at column `first` begins to read, and ends.
  int64_t beginOf(int64_t first) const {
    return columns.step * first + columns.offset + taps.begin()->first;
  }
  int64_t endOf(int64_t first, int64_t count) const;
  /// Two unaligned reads are no more than what is read once and shifted.
  bool readsEachColumn() const { return columns.step == 1 && taps.size() <= 2; }

  IRRewriter &b;
  linalg::GenericOp consumer;
  Location loc;
  SmallVector<Value> at; ///< the current index of each loop around rows
  int64_t lanes = 1;
  std::map<int64_t, std::vector<Tap>> taps;   ///< all of them, by their place along the columns
  std::map<int64_t, std::vector<Tap>> active; ///< those that are inside along `rows`
  /// Of the piece that is written: its first column, its width, and vectors of the image's columns
  /// by their number, one after the other, what the taps of a column read combined.
  Value first;
  int64_t width = 0;
  std::map<int64_t, Value> combined;
};

/// Of a column of taps, `further` behind the first one: how many elements of a step it takes are in
/// front of its own, in a vector of `width` of them and in whole ones before.
struct Shift {
  int64_t phase, part, lanes;

  Shift(int64_t further, int64_t step, int64_t width)
      : phase(further % step), part(further / step / width), lanes(further / step % width) {}
};

int64_t RowWindows::endOf(int64_t first, int64_t count) const {
  int64_t width = widthOf(count), n = columns.step, lowest = taps.begin()->first, end = 0;
  for (const auto &[place, inColumn] : taps) {
    Shift shift(place - lowest, n, width);
    int64_t whole = (shift.part + 1) * n * width,
            rest = shift.lanes == 0 ? 0 : ((shift.lanes - 1) * n + shift.phase) / width + 1;
    end = std::max(end, readsEachColumn() ? place - lowest + width : whole + rest * width);
  }
  return beginOf(first) + end;
}

/// What computes something of each result, and is the only one to read it; or null.
linalg::GenericOp RowWindows::findConsumer() {
  linalg::GenericOp user = onlyElementwiseUser(op);
  if (!user)
    return nullptr;
  auto fits = [&](OpOperand &operand) {
    AffineMap map = user.getMatchingIndexingMap(&operand);
    if (operand.get() == op.getResult(0) || user.isDpsInit(&operand))
      return map.isIdentity();
    auto position = map.getResultPosition(getAffineDimExpr(pixel, op.getContext()));
    return map.isProjectedPermutation(/*allowZeroInResults=*/true) &&
           (!position || *position + 1 == map.getNumResults());
  };
  return llvm::all_of(user->getOpOperands(), fits) ? user : nullptr;
}

void RowWindows::listTaps() {
  Tap tap(sizes.size(), 0);
  auto list = [&](auto self, unsigned loop) -> void {
    if (loop < sizes.size()) {
      for (tap[loop] = 0; tap[loop] < sizes[loop]; ++tap[loop])
        self(self, loop + 1);
      tap[loop] = 0;
      return;
    }
    int64_t place = 0;
    for (auto [step, by] : llvm::zip(steps[columns.position], tap))
      place += step * by;
    taps[place].push_back(tap);
  };
  list(list, pixel + 1);
  active = taps;
}

/// The loops around rows. Where windows reach out of the image along one of them, there is a loop
/// for each set of taps that are inside.
Value RowWindows::overLoops(Value tensor, unsigned loop) {
  if (loop == pixel)
    return overRow(tensor);
  auto overPart = [&](int64_t from, int64_t to, Value t) {
    return carryingLoop(b, loc, from, to, 1, t, [&](Value i, Value inner) {
      at[loop] = i;
      return overLoops(inner, loop + 1);
    });
  };
  if (!rows || rows->loop != loop)
    return overPart(0, sizes[loop], tensor);
  auto insideAt = [&](int64_t i) {
    std::map<int64_t, std::vector<Tap>> inside;
    for (const auto &[place, all] : taps)
      for (const Tap &tap : all) {
        int64_t row = rows->step * i + rows->offset;
        for (auto [step, by] : llvm::zip(steps[rows->position], tap))
          row += step * by;
        std::vector<Tap> &known = inside[place];
        if (row >= 0 && row < rows->size)
          known.push_back(tap);
      }
    return inside;
  };
  for (int64_t from = 0, to = 0; from < sizes[loop]; from = to) {
    active = insideAt(from);
    for (to = from + 1; to < sizes[loop] && insideAt(to) == active; ++to) {
    }
    tensor = overPart(from, to, tensor);
  }
  return tensor;
}

/// Pieces of a row whose windows reach out of the image are written one by one.
Value RowWindows::overRow(Value tensor) {
  int64_t size = sizes[pixel], whole = size / lanes * lanes, from = 0, to = whole;
  auto isInside = [&](int64_t first) {
    return beginOf(first) >= 0 && endOf(first, lanes) <= columns.size;
  };
  while (from < to && !isInside(from))
    from += lanes;
  while (to > from && !isInside(to - lanes))
    to -= lanes;
  for (int64_t first = 0; first < from; first += lanes)
    tensor = piece(tensor, index(first), lanes);
  tensor = overPieces(tensor, from, to);
  for (int64_t first = to; first < size; first += lanes)
    tensor = piece(tensor, index(first), std::min(lanes, size - first));
  return tensor;
}

/// Pieces of as many results as there are lanes, in a loop that carries the vectors of columns that
/// two of them need: those that the later one begins with.
Value RowWindows::overPieces(Value tensor, int64_t from, int64_t to) {
  if (readsEachColumn() || to - from < 2 * lanes)
    return carryingLoop(b, loc, from, to, lanes, tensor,
                        [&](Value start, Value t) { return piece(t, start, lanes); });
  width = lanes;
  first = index(from);
  combined.clear();
  SmallVector<Value> inits{tensor};
  SmallVector<int64_t> again;
  for (int64_t number : vectorsOfColumns())
    if (number >= columns.step) {
      again.push_back(number);
      inits.push_back(columnsOf(number - columns.step));
    }
  auto pieceOf = [&](OpBuilder &, Location, Value start, ValueRange carried) {
    std::map<int64_t, Value> known;
    for (auto [number, vector] : llvm::zip_equal(again, carried.drop_front()))
      known[number - columns.step] = vector;
    SmallVector<Value> results{piece(carried.front(), start, lanes, known)};
    for (int64_t number : again)
      results.push_back(columnsOf(number));
    scf::YieldOp::create(b, loc, results);
  };
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(b, loc, index(from), index(to), index(lanes), inits, pieceOf);
  return loop.getResult(0);
}

Value RowWindows::neutral(int64_t width) {
  TypedAttr element = *arith::getNeutralElement(combine);
  if (isa<arith::AddFOp>(combine)) // which is left out where something is added to it
    element = b.getFloatAttr(element.getType(), -0.0);
  auto type = VectorType::get({width}, element.getType());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, Attribute(element)));
}

/// `width` elements of a row of the image from column `first` times the step and `offset` on. Where
/// that is known to reach out of it, what is outside is the padding.
Value RowWindows::readColumns(const Tap &tap, Value first, int64_t offset, int64_t width) {
  SmallVector<Value> where;
  for (unsigned position = 0; position < columns.position; ++position) {
    OpFoldResult further = shift.empty() ? OpFoldResult(b.getIndexAttr(0)) : shift[position];
    int64_t constant = getConstantIntValue(further).value_or(0);
    auto sum = dyn_cast_if_present<Value>(further);
    for (auto [loop, step] : llvm::enumerate(steps[position])) {
      constant += step * tap[loop];
      if (step == 0 || loop >= pixel)
        continue;
      Value part = b.createOrFold<arith::MulIOp>(loc, at[loop], index(step));
      sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, part) : part;
    }
    if (sum && constant != 0)
      sum = b.createOrFold<arith::AddIOp>(loc, sum, index(constant));
    where.push_back(sum ? sum : index(constant));
  }
  std::optional<int64_t> known = getConstantIntValue(first);
  if (!known) {
    Value start = b.createOrFold<arith::MulIOp>(loc, first, index(columns.step));
    where.push_back(b.createOrFold<arith::AddIOp>(loc, start, index(offset)));
    return readVector(b, loc, whole, where, width);
  }
  int64_t begin = *known * columns.step + offset, low = std::max<int64_t>(begin, 0),
          high = std::min(begin + width, columns.size);
  where.push_back(index(low));
  if (high - low == width)
    return readVector(b, loc, whole, where, width);
  Type element = getElementTypeOrSelf(whole.getType());
  auto type = VectorType::get({width}, element);
  Attribute outside = b.getZeroAttr(element);
  if (pad)
    matchPattern(pad.getConstantPaddingValue(), m_Constant(&outside));
  Value padding = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, outside));
  if (high <= low)
    return padding;
  SmallVector<int64_t> places(width, vector::ShuffleOp::kPoisonIndex), chosen;
  for (int64_t lane = 0; lane < width; ++lane) {
    bool isInside = begin + lane >= low && begin + lane < high;
    if (isInside)
      places[lane] = begin + lane - low;
    chosen.push_back(isInside ? lane : width);
  }
  Value inside = readVector(b, loc, whole, where, high - low);
  Value moved = vector::ShuffleOp::create(b, loc, inside, inside, places);
  return vector::ShuffleOp::create(b, loc, moved, padding, chosen);
}

/// What the taps of a column read, combined.
Value RowWindows::column(Value first, int64_t offset, int64_t width,
                         const std::vector<Tap> &inColumn) {
  Value sum = neutral(width);
  for (const Tap &tap : inColumn) {
    IRMapping values;
    values.map(op.getBody()->getArgument(image), readColumns(tap, first, offset, width));
    values.map(op.getRegionOutputArgs().front(), sum);
    sum = onVectors(b, loc, *op.getBody(), values, width);
  }
  return sum;
}

/// What the consumer reads beside `count` results at `place`.
Value RowWindows::readOther(Value tensor, AffineMap map, ArrayRef<Value> place, int64_t count) {
  SmallVector<Value> where;
  for (AffineExpr index : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    where.push_back(loop ? place[loop.getPosition()] : this->index(0));
  }
  if (map.isFunctionOfDim(pixel))
    return readVector(b, loc, tensor, where, count);
  return tensor::ExtractOp::create(b, loc, tensor, where);
}

/// A vector of the image's columns, and the numbers of those that a piece needs.
Value RowWindows::columnsOf(int64_t number) {
  Value &known = combined[number];
  if (!known)
    known = column(first, columns.offset + taps.begin()->first + number * width, width,
                   active.begin()->second);
  return known;
}

std::set<int64_t> RowWindows::vectorsOfColumns() const {
  std::set<int64_t> numbers;
  int64_t n = columns.step;
  for (const auto &[place, inColumn] : taps) {
    Shift shift(place - taps.begin()->first, n, width);
    auto add = [&](int64_t part, int64_t count) {
      for (int64_t number = 0; number <= ((count - 1) * n + shift.phase) / width; ++number)
        numbers.insert(part * n + number);
    };
    add(shift.part, width);
    if (shift.lanes != 0)
      add(shift.part + 1, shift.lanes);
  }
  return numbers;
}

/// The first `count` lanes of every n-th element of the columns, n being the step of windows: from
/// the `part`-th `width` of them on.
Value RowWindows::lanesOf(int64_t part, int64_t phase, int64_t count) {
  int64_t n = columns.step, vectors = ((count - 1) * n + phase) / width + 1;
  SmallVector<Value> all;
  for (int64_t number = 0; number < vectors; ++number)
    all.push_back(columnsOf(part * n + number));
  if (all.size() == 1) // of which there may be less than a vector
    all.push_back(all.front());
  return n == 1 ? all.front() : everyNth(b, loc, all, n, phase);
}

/// What a column of taps reads for each result of a piece, combined. Columns of the window that are
/// a step apart are the same elements, lanes apart.
Value RowWindows::columnOfTaps(int64_t place) {
  int64_t further = place - taps.begin()->first;
  if (readsEachColumn())
    return column(first, columns.offset + place, width, active.begin()->second);
  Shift shift(further, columns.step, width);
  Value low = lanesOf(shift.part, shift.phase, width);
  if (shift.lanes == 0)
    return low;
  Value high = lanesOf(shift.part + 1, shift.phase, shift.lanes);
  return vector::ShuffleOp::create(b, loc, low, high,
                                   llvm::to_vector(llvm::seq(shift.lanes, shift.lanes + width)));
}

/// `count` results from `from` on; vectors of columns may be known.
Value RowWindows::piece(Value tensor, Value from, int64_t count, std::map<int64_t, Value> known) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  first = from;
  width = widthOf(count);
  combined = std::move(known);
  Value total;
  for (const auto &[place, inColumn] : taps) {
    Value one = columnOfTaps(place);
    total = total ? vector::makeArithReduction(b, loc, kind, total, one) : one;
  }
  SmallVector<Value> where(ArrayRef(at).take_front(pixel));
  where.push_back(first);
  Value init = op.getDpsInits()[0], start = filling(init);
  start = start ? inAllLanes(b, loc, start, width) : Value();
  if (width != count) {
    auto lanesOf = llvm::to_vector(llvm::seq<int64_t>(0, count));
    total = vector::ShuffleOp::create(b, loc, total, total, lanesOf);
    if (start)
      start = vector::ShuffleOp::create(b, loc, start, start, lanesOf);
  }
  if (!start)
    start = readVector(b, loc, init, where, count);
  Value value = vector::makeArithReduction(b, loc, kind, total, start);
  if (consumer) {
    IRMapping values;
    for (OpOperand &operand : consumer->getOpOperands()) {
      BlockArgument argument = consumer.getMatchingBlockArgument(&operand);
      if (operand.get() == op.getResult(0))
        values.map(argument, value);
      else if (consumer.payloadUsesValueFromOperand(&operand))
        values.map(argument, readOther(operand.get(), consumer.getMatchingIndexingMap(&operand),
                                       where, count));
    }
    value = onVectors(b, loc, *consumer.getBody(), values, count);
  }
  return writeVector(b, loc, value, tensor, where);
}

} // namespace

bool vectoriseRowWindow(IRRewriter &rewriter, linalg::GenericOp op, TargetAttr target) {
  std::optional<RowWindowShape> shape = RowWindowShape::of(op);
  if (!shape)
    return false;
  RowWindows(rewriter, std::move(*shape), target).run();
  return true;
}

bool isLeftOutByRowWindow(OpOperand &use) {
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  std::optional<RowWindowShape> shape = generic ? RowWindowShape::of(generic) : std::nullopt;
  return shape && shape->pad == use.get().getDefiningOp();
}

} // namespace kgen
