#include "transforms/windows/RowWindows.h"

#include "transforms/loops/LaneShuffles.h"
#include "transforms/loops/VectorCode.h"
#include "transforms/loops/VectorLoops.h"
#include "transforms/windows/WindowShape.h"

#include <mlir/Analysis/SliceAnalysis.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Matchers.h>

#include <map>

using namespace mlir;

namespace kgen {
namespace {

/// A dimension of the image that windows slide along: they begin `step` times the index of `loop`
/// and `offset` in it, and see nothing in front of it and behind its `size`.
struct Sliding {
  unsigned position, loop;
  int64_t step, offset, size;
};

/// One input is read, through windows that slide along the result's last dimension.
struct RowWindowShape {
  static std::optional<RowWindowShape> of(linalg::GenericOp op) {
    RowWindowShape shape(op);
    if (!shape.recognise())
      return std::nullopt;
    return shape;
  }

  linalg::GenericOp op;
  SmallVector<int64_t> sizes;
  unsigned pixel = 0; ///< the loop along a row of the result
  unsigned image = 0; ///< the input that is read
  Operation *combine = nullptr;
  SmallVector<SmallVector<int64_t>> steps; ///< of places in the image, by dimension and loop
  tensor::PadOp pad;                       ///< of the image, which is read without it; or null
  Value whole;                             ///< what is read instead of the padded image
  SmallVector<OpFoldResult> shift;         ///< from places in the padded image to those in `whole`
  Sliding columns{};
  std::optional<Sliding> rows; ///< where windows reach out of them

private:
  explicit RowWindowShape(linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {}
  bool recognise();
  bool findPadding();
  Sliding slidingAlong(unsigned position, unsigned loop, int64_t offset) const {
    return {position, loop, steps[position][loop], offset,
            cast<RankedTensorType>(whole.getType()).getDimSize(position)};
  }
};

bool RowWindowShape::recognise() {
  constexpr int64_t mostTaps = 64, mostStep = 4;
  unsigned parallel = op.getNumParallelLoops();
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || !isScalarCodeOnTensors(op) ||
      parallel < 2 || parallel == op.getNumLoops() || llvm::is_contained(sizes, 0) ||
      op.getIndexingMapsArray().back() !=
          AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext())
              .getMajorSubMap(parallel))
    return false;
  pixel = parallel - 1;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1 ||
      !linalg::getCombinerOpKind(combiners.front()) || !arith::getNeutralElement(combiners.front()))
    return false;
  combine = combiners.front();
  int64_t taps = 1, read = 0;
  for (int64_t size : ArrayRef(sizes).drop_front(parallel))
    taps *= size;
  for (unsigned number = 0; number < op.getNumDpsInputs(); ++number)
    if (op.payloadUsesValueFromOperand(&op->getOpOperand(number))) {
      image = number;
      ++read;
    }
  if (read != 1 || taps > mostTaps)
    return false;
  AffineMap map = op.getIndexingMapsArray()[image];
  for (AffineExpr index : map.getResults()) {
    auto known = tpp::stepsOf(index, sizes.size());
    if (!known)
      return false;
    steps.push_back(llvm::to_vector(*known));
  }
  auto movesAlong = [&](unsigned loop) {
    return [this, loop](unsigned position) { return steps[position][loop] != 0; };
  };
  auto last = static_cast<unsigned>(steps.size() - 1);
  if (steps.empty() || map.isProjectedPermutation() || steps[last][pixel] < 1 ||
      steps[last][pixel] > mostStep || llvm::any_of(llvm::seq(0U, last), movesAlong(pixel)) ||
      llvm::any_of(llvm::seq(0U, pixel), [&](unsigned loop) { return steps[last][loop] != 0; }))
    return false;
  return findPadding();
}

/// Sees through the padding of the image, along its columns and one other dimension. False where
/// windows may reach out of it in a way that is not known.
bool RowWindowShape::findPadding() {
  OpBuilder b(op);
  PaddedSource source = sourceOf(op.getDpsInputs()[image]);
  auto last = static_cast<unsigned>(steps.size() - 1);
  whole = op.getDpsInputs()[image];
  columns = slidingAlong(last, pixel, 0);
  if (!source.pad || !isNeutralPadding(op, source.pad))
    return true;
  pad = source.pad;
  whole = source.tensor;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  for (unsigned position = 0; position < low.size(); ++position) {
    AffineExpr further = b.getAffineSymbolExpr(0) - low[position];
    shift.push_back(
        affine::makeComposedFoldedAffineApply(b, op.getLoc(), further, {source.offsets[position]}));
    std::optional<int64_t> offset = getConstantIntValue(shift.back());
    if (position == last) {
      if (!offset)
        return false;
      columns = slidingAlong(last, pixel, *offset);
    } else if (low[position] != 0 || high[position] != 0) {
      SmallVector<unsigned> loops;
      for (unsigned loop = 0; loop < pixel; ++loop)
        if (steps[position][loop] != 0)
          loops.push_back(loop);
      if (rows || !offset || loops.size() != 1)
        return false;
      rows = slidingAlong(position, loops.front(), *offset);
    }
  }
  return true;
}

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
  Value piece(Value tensor, Value first, int64_t count);
  Value column(Value first, int64_t offset, int64_t width, const std::vector<Tap> &inColumn);
  Value readColumns(const Tap &tap, Value first, int64_t offset, int64_t width);
  Value readOther(Value tensor, AffineMap map, ArrayRef<Value> place, int64_t count);
  Value neutral(int64_t width);

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  int64_t widthOf(int64_t count) const { return static_cast<int64_t>(llvm::PowerOf2Ceil(count)); }
  /// Where a piece of `count` results that begins at column `first` begins to read, and ends.
  int64_t beginOf(int64_t first) const {
    return columns.step * first + columns.offset + taps.begin()->first;
  }
  int64_t endOf(int64_t first, int64_t count) const {
    int64_t lowest = taps.begin()->first, highest = taps.rbegin()->first;
    return beginOf(first) + (highest - lowest) / columns.step * columns.step +
           columns.step * widthOf(count);
  }

  IRRewriter &b;
  linalg::GenericOp consumer;
  Location loc;
  SmallVector<Value> at; ///< the current index of each loop around rows
  int64_t lanes = 1;
  std::map<int64_t, std::vector<Tap>> taps;   ///< all of them, by their place along the columns
  std::map<int64_t, std::vector<Tap>> active; ///< those that are inside along `rows`
};

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
  tensor = carryingLoop(b, loc, from, to, lanes, tensor,
                        [&](Value first, Value t) { return piece(t, first, lanes); });
  for (int64_t first = to; first < size; first += lanes)
    tensor = piece(tensor, index(first), std::min(lanes, size - first));
  return tensor;
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

/// `count` results from `first` on.
Value RowWindows::piece(Value tensor, Value first, int64_t count) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(combine);
  int64_t width = widthOf(count), n = columns.step, lowest = taps.begin()->first;
  Value total;
  // Columns of the window that are less than a step apart are parts of the same vectors.
  std::map<int64_t, SmallVector<Value>> vectors;
  for (const auto &[place, inColumn] : active) {
    int64_t phase = (place - lowest) % n, begin = place - phase;
    SmallVector<Value> &known = vectors[begin];
    if (known.empty())
      for (int64_t part = 0; part < n; ++part)
        known.push_back(column(first, columns.offset + begin + part * width, width, inColumn));
    Value one = everyNth(b, loc, known, phase);
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
