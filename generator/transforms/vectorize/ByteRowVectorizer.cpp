// Vectorizer for depthwise convolutions of bytes on NCHW images: loops over vectors of neighbours
// in rows of the result. Each row of the image is read once for all rows of results that it is in
// windows of, whose sums stay in registers.
#include "transforms/vectorize/ByteRowChannel.h"
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizationStrategy.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the loops of one operation.
class ByteRowVectorizer : ByteRowChannel {
public:
  ByteRowVectorizer(IRRewriter &rewriter, ByteRowShape shape, TargetAttr target)
      : ByteRowChannel(rewriter, std::move(shape), target), rewriter(rewriter) {}

  void run() {
    linalg::GenericOp last = consumer ? consumer : op;
    b.setInsertionPoint(last);
    OpFoldResult none = b.getIndexAttr(0), count = LoopSizes(op).value(b, images);
    beginImages();
    beginFilters();
    auto ofImage = [&](Value i, Value tensor) {
      return buildFor(b, loc, 0, sizes[channels], 1, tensor, [&](Value c, Value t) {
        beginChannel(i, c);
        return choice.build(b, loc, [&] { return SmallVector<Value>{buildStrips(t)}; }).front();
      });
    };
    Value destination = windowDestination(op, last);
    const bool joins = readsWholeRows();
    Value result =
        buildFor(b, loc, none, count, 1, joins ? joinRows(destination) : destination, ofImage);
    rewriter.replaceOp(last, joins ? splitRows(result, last.getResultTypes().front()) : result);
    if (consumer)
      rewriter.eraseOp(op);
  }

private:
  /// Rows of results that were begun: a vector of sums for each vector of the strip.
  using Sums = SmallVector<SmallVector<Value>>;

  SmallVector<ByteStrip> strips() const;
  Value buildStrips(Value tensor);
  Value buildStrip(Value tensor, const ByteStrip &strip);
  Value buildRows(Value tensor, const ByteStrip &strip, OpFoldResult first, int64_t count,
                  Sums &sums);
  void addRow(const ByteStrip &strip, OpFoldResult row, int64_t ofWindow, Sums &sums);
  Value write(Value tensor, const ByteStrip &strip, OpFoldResult first,
              const SmallVector<Value> &numbers);
  Value writeWholeRow(Value tensor, OpFoldResult row, Value x, Value y);
  OpFoldResult imageRow(OpFoldResult row, int64_t ofWindow);

  static int64_t size(const ByteStrip &strip) { return static_cast<int64_t>(strip.starts.size()); }
  /// Vectors of results beside each other. The fewer there are, the more registers hold the sums of
  /// rows that have begun; two share what is read of a whole row, and each is read by itself with a
  /// stride.
  int64_t vectorsInStrip() const { return columnStride == 1 && !readsWholeRows() ? 1 : 2; }
  /// True if what is written of a row reaches into the next one, which is written later.
  bool writesIntoNextRow() const { return readsWholeRows() && sizes[columns] < 2 * lanes; }
  /// The first row of a window that windows of the row of results before do not have.
  int64_t firstNewRow() const { return std::max<int64_t>(sizes[tapRows] - rowStride, 0); }

  IRRewriter &rewriter;
  SmallVector<Value> starts; ///< of the vectors of a strip
};

/// The image's row that is row `ofWindow` of the windows of a row of results.
OpFoldResult ByteRowVectorizer::imageRow(OpFoldResult row, int64_t ofWindow) {
  if (std::optional<int64_t> number = getConstantIntValue(row))
    return b.getIndexAttr(*number * rowStride + ofWindow - top);
  Value begin = b.createOrFold<arith::MulIOp>(loc, cast<Value>(row), index(rowStride));
  return sum(begin, b.getIndexAttr(ofWindow - top));
}

/// Adds a row of the image to the sums of the rows of results that have it in their windows: it is
/// row `ofWindow` in those of the first.
void ByteRowVectorizer::addRow(const ByteStrip &strip, OpFoldResult row, int64_t ofWindow,
                               Sums &sums) {
  beginRow(strip, row);
  if (isZeroRow())
    return;
  for (size_t number = 0; number < strip.starts.size(); ++number)
    for (int64_t pair = 0; pair < pairs(); ++pair) {
      Value ofImage = pairsOf(number, pair);
      int64_t tap = ofWindow;
      for (auto &ofRow : sums) {
        if (tap < 0)
          break;
        ofRow[number] =
            DotOp::create(b, loc, ofImage, filters[tap * pairs() + pair], ofRow[number]);
        tap -= rowStride;
      }
    }
}

/// Writes both vectors of a row at once. After the last row there may be no memory for lanes past
/// its end: two vectors that overlap are written there.
Value ByteRowVectorizer::writeWholeRow(Value tensor, OpFoldResult row, Value x, Value y) {
  Value begin = b.createOrFold<arith::MulIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, row),
                                              index(sizes[columns]));
  auto writeLanes = [&](int64_t from, int64_t count) {
    Value written =
        vector::ShuffleOp::create(b, loc, x, y, llvm::to_vector(llvm::seq(from, from + count)));
    tensor = writeVector(b, loc, written, tensor,
                         {currentImage, currentChannel, sum(begin, b.getIndexAttr(from))});
  };
  if (!writesIntoNextRow() || getConstantIntValue(row) != sizes[rows] - 1) {
    writeLanes(0, 2 * lanes);
    return tensor;
  }
  writeLanes(0, lanes);
  writeLanes(sizes[columns] - lanes, lanes);
  return tensor;
}

/// Writes results in rows from `first` on, those of a row one after the other.
Value ByteRowVectorizer::write(Value tensor, const ByteStrip &strip, OpFoldResult first,
                               const SmallVector<Value> &numbers) {
  SmallVector<Value> results = narrowed(numbers);
  const size_t inRow = strip.starts.size();
  if (readsWholeRows()) {
    for (size_t number = 0; number < results.size(); number += inRow) {
      auto further = static_cast<int64_t>(number / inRow);
      std::optional<int64_t> known = getConstantIntValue(first);
      OpFoldResult row = known ? OpFoldResult(b.getIndexAttr(*known + further))
                               : sum(cast<Value>(first), b.getIndexAttr(further));
      tensor = writeWholeRow(tensor, row, results[number], results[number + 1]);
    }
    return tensor;
  }
  Value firstRow = getValueOrCreateConstantIndexOp(b, loc, first),
        firstColumn = strip.first ? strip.first : index(0), row;
  auto writeAt = [&](Value written, int64_t column) {
    tensor =
        writeVector(b, loc, written, tensor,
                    {currentImage, currentChannel, row, sum(firstColumn, b.getIndexAttr(column))});
  };
  for (size_t number = 0; number < results.size(); ++number) {
    const size_t vector = number % inRow;
    Value written = results[number];
    int64_t column = strip.starts[vector];
    row = sum(firstRow, b.getIndexAttr(static_cast<int64_t>(number / inRow)));
    if (lanes > sizes[columns]) {
      for (int64_t lane = 0; lane < lanes; lane += lanesOfPart)
        writeAt(vector::ExtractStridedSliceOp::create(b, loc, written, lane, lanesOfPart, 1),
                column + columnOf(lane));
      continue;
    }
    if (vector + 1 < inRow && strip.starts[vector + 1] == column + lanes)
      written = vector::ShuffleOp::create(b, loc, written, results[++number],
                                          llvm::to_vector(llvm::seq<int64_t>(0, 2 * lanes)));
    writeAt(written, column);
  }
  return tensor;
}

/// Computes `count` rows of results, whose `sums` have all rows of the image that windows of rows
/// before have.
Value ByteRowVectorizer::buildRows(Value tensor, const ByteStrip &strip, OpFoldResult first,
                                   int64_t count, Sums &sums) {
  SmallVector<Value> numbers;
  for (int64_t i = 0; i < count; ++i) {
    sums.push_back(starts);
    for (int64_t ofWindow = firstNewRow(); ofWindow < sizes[tapRows]; ++ofWindow)
      addRow(strip, imageRow(first, ofWindow + i * rowStride), ofWindow, sums);
    for (Value sum : sums.front())
      numbers.push_back(finished(sum));
    sums.erase(sums.begin());
  }
  return write(tensor, strip, first, numbers);
}

/// Computes all rows of a strip: in a loop, but for those at the ends of the image where something
/// is read that is not in its memory.
Value ByteRowVectorizer::buildStrip(Value tensor, const ByteStrip &strip) {
  const int64_t all = sizes[rows], together = PackedBytes::vectors / size(strip),
                inLoop = writesIntoNextRow() ? all - 1 : all;
  auto [firstReadable, lastReadable] = readableRows(strip);
  auto canLoop = [&, firstRow = firstReadable, lastRow = lastReadable](int64_t row) {
    return row + together <= inLoop && row * rowStride + firstNewRow() - top >= firstRow &&
           (row + together - 1) * rowStride + sizes[tapRows] - 1 - top <= lastRow;
  };
  starts = startsOf(strip);
  Sums sums(rowsBegun(), starts);
  for (int64_t ofWindow = 0; ofWindow < firstNewRow(); ++ofWindow)
    addRow(strip, b.getIndexAttr(ofWindow - top), ofWindow, sums);
  auto buildKnown = [&](int64_t row) {
    tensor = buildRows(tensor, strip, b.getIndexAttr(row), std::min(together, all - row), sums);
  };
  int64_t row = 0, end = 0;
  for (; row < all && !canLoop(row); row += together)
    buildKnown(row);
  for (end = row; end < all && canLoop(end);)
    end += together;
  SmallVector<Value> carried{tensor};
  for (const SmallVector<Value> &ofRow : sums)
    llvm::append_range(carried, ofRow);
  auto unpack = [&](ValueRange values) {
    tensor = values.front();
    values = values.drop_front();
    for (SmallVector<Value> &ofRow : sums)
      for (Value &sum : ofRow) {
        sum = values.front();
        values = values.drop_front();
      }
  };
  carried = buildFor(b, loc, row, end, together, carried, [&](Value i, ValueRange values) {
    unpack(values);
    SmallVector<Value> next{buildRows(tensor, strip, i, together, sums)};
    for (const SmallVector<Value> &ofRow : sums)
      llvm::append_range(next, ofRow);
    return next;
  });
  unpack(carried);
  for (row = end; row < all; row += together)
    buildKnown(row);
  return tensor;
}

/// The strips of the image's columns. The last vectors overlap those before them.
SmallVector<ByteStrip> ByteRowVectorizer::strips() const {
  SmallVector<ByteStrip> list;
  for (int64_t column = 0; column < sizes[columns]; column += lanes) {
    if (list.empty() || size(list.back()) == vectorsInStrip())
      list.emplace_back();
    const int64_t last = readsWholeRows() ? column : sizes[columns] - lanes;
    list.back().starts.push_back(std::clamp<int64_t>(last, 0, column));
  }
  return list;
}

/// Computes a plane of the result: strips in the middle of an image in a loop.
Value ByteRowVectorizer::buildStrips(Value tensor) {
  SmallVector<ByteStrip> all = strips();
  const int64_t inStrip = vectorsInStrip();
  auto canLoop = [&](size_t number) {
    const ByteStrip &strip = all[number];
    return size(strip) == inStrip && isInside(strip) &&
           strip.starts.front() == static_cast<int64_t>(number) * inStrip * lanes &&
           strip.starts.back() == strip.starts.front() + (inStrip - 1) * lanes;
  };
  for (size_t number = 0, end = 0; number < all.size(); number = end) {
    for (end = number; end < all.size() && canLoop(end);)
      ++end;
    if (end < number + 2) {
      tensor = buildStrip(tensor, all[number]);
      end = number + 1;
      continue;
    }
    const ByteStrip first = all[number];
    int64_t width = inStrip * lanes, from = first.starts.front();
    tensor = buildFor(b, loc, from, from + static_cast<int64_t>(end - number) * width, width,
                      tensor, [&](Value column, Value t) {
                        ByteStrip strip{{}, column};
                        for (int64_t vector = 0; vector < inStrip; ++vector)
                          strip.starts.push_back(vector * lanes);
                        return buildStrip(t, strip);
                      });
  }
  return tensor;
}

class ByteRowPlan : public VectorizationPlan {
public:
  ByteRowPlan(ByteRowShape shape, TargetAttr target) : shape(std::move(shape)), target(target) {
    const ByteRowShape &known = this->shape;
    fusedReader = known.consumer;
    dimension = ByteRowShape::columns;
    lanes = known.lanes;
    VectorRows rows{known.sizes[dimension], lanes};
    cost = cyclesInWindows(target.cpu(), rows, readsPerTap());
  }

  void emit(IRRewriter &rewriter) override {
    ByteRowVectorizer(rewriter, std::move(shape), target).run();
  }

private:
  /// Vectors read for each tap: a row of the image is read once for all taps of all windows.
  double readsPerTap() const {
    int64_t taps = shape.sizes[ByteRowShape::tapRows] * shape.sizes[ByteRowShape::tapColumns];
    int64_t reads = shape.rowStride * (shape.columnStride == 1 ? 1 : shape.pairs());
    return double(reads) / double(taps);
  }

  ByteRowShape shape;
  TargetAttr target;
};

VectorizationMatch matchByteRows(linalg::GenericOp op, TargetAttr target) {
  std::optional<ByteRowShape> shape = ByteRowShape::match(op);
  if (!shape)
    return {};
  return {std::make_unique<ByteRowPlan>(std::move(*shape), target)};
}

} // namespace

const VectorizationStrategy &byteRows() {
  static constexpr VectorizationStrategy strategy{
      "byte-rows", "windows of bytes with vectors of pixels", /*fusesReader=*/true, matchByteRows};
  return strategy;
}

} // namespace kgen
