// Vectorizer for sums, products and extrema over windows of NHWC images, as in depthwise
// convolutions and pools: loops over vectors of channels. Several pixels at once reuse filter
// elements, and image elements that windows share.
#include "dialect/tpp/Tpp.h"
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/VectorLoopBuilder.h"
#include "transforms/vectorize/VectorizationStrategy.h"
#include "transforms/vectorize/VectorizeBody.h"
#include "transforms/vectorize/WindowByteResults.h"
#include "transforms/vectorize/WindowTileSizes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <numeric>
#include <set>

using namespace mlir;

namespace kgen {
namespace {

/// Builds the loops of one operation.
class WindowVectorizerNHWC : WindowByteResults {
public:
  WindowVectorizerNHWC(IRRewriter &rewriter, WindowShape shape, TargetAttr target)
      : WindowByteResults(rewriter, std::move(shape), target), rewriter(rewriter),
        tileSizes(*this, consumer, target) {
    if (tileSizes.multipliesBytes && consumer && planBytes(target, tileSizes.pixels))
      tileSizes.useByteBlocks(*this, target);
  }

  void run() {
    linalg::GenericOp last = consumer ? consumer : op;
    b.setInsertionPoint(last);
    if (tileSizes.multipliesBytes)
      beginFilters(tileSizes.channels, /*ofBlocks=*/tileSizes.channels > tileSizes.lanes);
    LoopSizes loops(op);
    for (unsigned loop = 0; loop <= pixel; ++loop) // outside of all loops
      ends.push_back(loops.value(b, loop));
    auto outer = llvm::to_vector(llvm::seq<int64_t>(0, pixel));
    Value result =
        nest(outer, windowDestination(op, last), [&](Value t) { return buildRows(t, 0); });
    rewriter.replaceOp(last, result);
    if (consumer)
      rewriter.eraseOp(op);
  }

private:
  using Body = llvm::function_ref<Value(Value)>;

  Value buildRows(Value tensor, size_t first);
  Value tapLimit(int64_t edge);
  Value buildRow(Value tensor);
  Value buildRowOfBytes(Value tensor);
  Value buildChannelLoop(Value tensor, llvm::function_ref<Value(Value tensor, int64_t width)> body);
  Value buildPixelLoop(Value tensor,
                       llvm::function_ref<Value(Value tensor, Value first, int64_t count)> body);
  Value buildDynamicPixelLoop(Value tensor, llvm::function_ref<Value(Value, Value, int64_t)> body);
  Value computePixels(Value tensor, PixelTile tile);
  void addTapLoop(PixelTile &tile, SmallVectorImpl<Value> &accumulators);
  Weights loadWeights(int64_t width);

  Value nest(ArrayRef<int64_t> dims, Value tensor, Body body) {
    if (dims.empty())
      return body(tensor);
    auto iteration = [&](Value i, Value t) {
      ivs[dims.front()] = i;
      return nest(dims.drop_front(), t, body);
    };
    return buildFor(b, loc, OpFoldResult(b.getIndexAttr(0)), ends[dims.front()], 1, tensor,
                    iteration);
  }

  IRRewriter &rewriter;
  WindowTileSizes tileSizes;
  Value firstTap, endTap;         ///< bounds of the loop over taps
  SmallVector<OpFoldResult> ends; ///< of the loops up to that of pixels
};

/// Returns the first iteration of the tap loop in which a window reaches `edge` of the padded
/// image.
Value WindowVectorizerNHWC::tapLimit(int64_t edge) {
  size_t first = channel + 1;
  int64_t step =
      (*tpp::linearCoefficients(mapOf(op, padded).getResult(rows->position), sizes.size()))[first];
  AffineExpr firstRow = b.getAffineSymbolExpr(0) * rows->stride + b.getAffineSymbolExpr(1);
  Value limit = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(b, loc, (edge - firstRow).ceilDiv(step),
                                            {OpFoldResult(ivs[rows->loop]), rows->offset}));
  return b.createOrFold<arith::MinSIOp>(loc, b.createOrFold<arith::MaxSIOp>(loc, limit, index(0)),
                                        index(sizes[first]));
}

/// Builds the loops over channels for the taps inside of the image, which are the same for many
/// rows.
Value WindowVectorizerNHWC::buildRows(Value tensor, size_t first) {
  if (tileSizes.hasTapLoop) {
    active.resize(taps.size() / sizes[channel + 1]);
    std::iota(active.begin(), active.end(), 0);
    firstTap = rows ? tapLimit(rows->low) : index(0);
    endTap = rows ? tapLimit(rows->low + rows->size) : index(sizes[channel + 1]);
    return buildRow(tensor);
  }
  SmallVector<EqualTapRows> all = rowsWithEqualTaps();
  if (first + 1 == all.size()) {
    active = all[first].taps;
    return buildRow(tensor);
  }
  AffineExpr begin = b.getAffineSymbolExpr(0) * rows->stride + b.getAffineSymbolExpr(1);
  Value firstRow = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(b, loc, begin,
                                            {OpFoldResult(ivs[rows->loop]), rows->offset}));
  Value isInRange =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, firstRow, index(all[first].end));
  auto branch = scf::IfOp::create(b, loc, tensor.getType(), isInRange, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  active = all[first].taps;
  scf::YieldOp::create(b, loc, buildRow(tensor));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, buildRows(tensor, first + 1));
  return branch.getResult(0);
}

/// Like buildRow, but sums of products of bytes: blocks of channels, then single vectors.
Value WindowVectorizerNHWC::buildRowOfBytes(Value tensor) {
  return buildChannelLoop(tensor, [&](Value t, int64_t width) {
    Value start = ivs[channel];
    for (int64_t next = 0, piece = 0; next < width; next += piece) {
      int64_t left = width - next;
      for (piece = tileSizes.channels; piece > tileSizes.lanes && piece > left;)
        piece /= 2;
      piece = std::min(piece, left);
      ivs[channel] = b.createOrFold<arith::AddIOp>(loc, start, index(next));
      beginChannels(piece);
      Weights weights = piece > tileSizes.lanes ? keptBlock(piece) : keptFilters(piece);
      t = buildPixelLoop(t, [&](Value inner, Value first, int64_t count) {
        return computePixels(inner, {first, count, piece, weights});
      });
    }
    ivs[channel] = start;
    return t;
  });
}

/// Builds the loops over channels and pixels of a row.
Value WindowVectorizerNHWC::buildRow(Value tensor) {
  if (tileSizes.multipliesBytes)
    return buildRowOfBytes(tensor);
  auto vectors = [&](Value t, Value first, int64_t count, int64_t width, const Weights &weights) {
    Value start = ivs[channel];
    for (int64_t next = 0; next < width; next += tileSizes.lanes) {
      ivs[channel] = b.createOrFold<arith::AddIOp>(loc, start, index(next));
      t = computePixels(t, {first, count, std::min(tileSizes.lanes, width - next), weights});
    }
    ivs[channel] = start;
    return t;
  };
  if (tileSizes.readsRowsOnce)
    return buildPixelLoop(tensor, [&](Value t, Value first, int64_t count) {
      return buildChannelLoop(t, [&](Value inner, int64_t width) {
        return vectors(inner, first, count, width, loadWeights(width));
      });
    });
  return buildChannelLoop(tensor, [&](Value t, int64_t width) {
    Weights weights = loadWeights(width);
    return buildPixelLoop(t, [&](Value inner, Value first, int64_t count) {
      return vectors(inner, first, count, width, weights);
    });
  });
}

Value WindowVectorizerNHWC::buildChannelLoop(Value tensor,
                                             llvm::function_ref<Value(Value, int64_t)> body) {
  auto channels = [&](Value i, int64_t width, Value t) {
    ivs[channel] = i;
    return body(t, width);
  };
  return buildVectorLoop(b, loc, sizes[channel], tileSizes.channels, tensor, channels);
}

/// Loads the filters that are kept in registers: vectors by input and tap.
WindowTapReuse::Weights WindowVectorizerNHWC::loadWeights(int64_t width) {
  Weights weights(op.getNumDpsInputs());
  if (!tileSizes.keepsFilters)
    return weights;
  for (unsigned number : filters)
    for (const SmallVector<int64_t> &tap : taps)
      weights[number].push_back(read(op.getDpsInputs()[number], mapOf(op, number), tap, width));
  return weights;
}

/// Builds the loop over pixels, several at a time.
Value WindowVectorizerNHWC::buildPixelLoop(Value tensor,
                                           llvm::function_ref<Value(Value, Value, int64_t)> body) {
  if (LoopSizes(op).isDynamic(pixel))
    return buildDynamicPixelLoop(tensor, body);
  int64_t size = sizes[pixel], all = size / tileSizes.pixels * tileSizes.pixels, from = 0, to = all;
  // Pixels whose windows reach into the padding are computed one tile at a time, with their own
  // taps.
  auto isWithin = [&](int64_t first) {
    return !columns || llvm::all_of(taps, [&](ArrayRef<int64_t> tap) {
      auto isIn = [&](int64_t x) {
        return isInside(*columns, x * columns->stride + *getConstantIntValue(columns->offset), tap);
      };
      return isIn(first) && isIn(first + tileSizes.pixels - 1);
    });
  };
  while (from < to && !isWithin(from))
    from += tileSizes.pixels;
  while (to > from && !isWithin(to - tileSizes.pixels))
    to -= tileSizes.pixels;
  auto tile = [&](Value t, Value first) { return body(t, first, tileSizes.pixels); };
  for (int64_t first = 0; first < from; first += tileSizes.pixels)
    tensor = tile(tensor, index(first));
  tensor = buildFor(b, loc, from, to, tileSizes.pixels, tensor,
                    [&](Value first, Value t) { return tile(t, first); });
  for (int64_t first = to; first < all; first += tileSizes.pixels)
    tensor = tile(tensor, index(first));
  return all == size ? tensor : body(tensor, index(all), size - all);
}

/// Builds the loop over pixels whose number is known at run time: those after the last tile one by
/// one.
Value WindowVectorizerNHWC::buildDynamicPixelLoop(
    Value tensor, llvm::function_ref<Value(Value, Value, int64_t)> body) {
  LoopSizes loops(op);
  auto buildRange = [&](OpFoldResult from, OpFoldResult to, int64_t count, Value t) {
    return buildFor(b, loc, from, to, count, t,
                    [&](Value first, Value inner) { return body(inner, first, count); });
  };
  OpFoldResult size = ends[pixel], none = b.getIndexAttr(0);
  if (loops.divisor(pixel) % tileSizes.pixels == 0)
    return buildRange(none, size, tileSizes.pixels, tensor);
  OpFoldResult whole = wholeSteps(b, loc, size, tileSizes.pixels);
  return buildRange(whole, size, 1, buildRange(none, whole, tileSizes.pixels, tensor));
}

/// Builds the loop over taps around addTaps().
void WindowVectorizerNHWC::addTapLoop(PixelTile &tile, SmallVectorImpl<Value> &accumulators) {
  auto loop = scf::ForOp::create(b, loc, firstTap, endTap, index(1), accumulators);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  ivs[channel + 1] = loop.getInductionVar();
  llvm::copy(loop.getRegionIterArgs(), accumulators.begin());
  addTaps(tile, accumulators);
  scf::YieldOp::create(b, loc, accumulators);
  ivs[channel + 1] = nullptr;
  llvm::copy(loop.getResults(), accumulators.begin());
}

/// Computes `tile` and writes it to `tensor`.
Value WindowVectorizerNHWC::computePixels(Value tensor, PixelTile tile) {
  ivs[pixel] = tile.first;
  if (tileSizes.multipliesBytes)
    return tile.width > tileSizes.lanes ? computeBlock(tensor, tile) : computeBytes(tensor, tile);
  SmallVector<Value> accumulators = initialValues(tile);
  AffineMap result = b.getMultiDimIdentityMap(sizes.size()).getMajorSubMap(channel + 1);
  SmallVector<int64_t> noTap(sizes.size(), 0);
  auto finish = [&](int64_t i) {
    SmallVector<int64_t> by = furtherBy(i, noTap);
    Value value = accumulators[i];
    if (consumer)
      value = applyConsumer(value, by, tile.width);
    tensor = writeVector(b, loc, value, tensor, operandIndices(result, by));
  };
  if (tileSizes.hasTapLoop)
    addTapLoop(tile, accumulators);
  else
    addTaps(tile, accumulators);
  for (int64_t i = 0; i < tile.count; ++i)
    finish(i);
  return tensor;
}

class WindowsPlanNHWC : public VectorizationPlan {
public:
  WindowsPlanNHWC(WindowShape shape, TargetAttr target) : shape(std::move(shape)), target(target) {
    linalg::GenericOp op = this->shape.op;
    fusedReader = this->shape.findConsumer();
    dimension = this->shape.channel;
    lanes = std::max<int64_t>(1, target.getVectorBits() / widestBits(op));
    VectorRows rows{this->shape.sizes[dimension], lanes};
    cost = cyclesInWindows(target.cpu(), rows, readsPerTap());
  }

  void emit(IRRewriter &rewriter) override {
    WindowVectorizerNHWC(rewriter, std::move(shape), target).run();
  }

private:
  /// Vectors read for each tap: neighbouring pixels share elements of the image.
  double readsPerTap() {
    int64_t pixels = WindowTileSizes(shape, shape.findConsumer(), target).pixels, reads = 0,
            distinct = 0;
    for (unsigned number = 0; number < shape.op.getNumDpsInputs(); ++number) {
      if (!shape.op.payloadUsesValueFromOperand(&shape.op->getOpOperand(number)))
        continue;
      std::set<std::vector<int64_t>> elements;
      for (const SmallVector<int64_t> &tap : shape.taps)
        for (int64_t i = 0; i < pixels; ++i) {
          SmallVector<int64_t> by(tap);
          by[shape.pixel] = i;
          elements.insert(shape.elementAt(number, by));
        }
      distinct += elements.size();
      reads += pixels * shape.taps.size();
    }
    return reads == 0 ? 1 : double(distinct) / double(reads);
  }

  WindowShape shape;
  TargetAttr target;
};

VectorizationMatch matchWindowsNHWC(linalg::GenericOp op, TargetAttr target) {
  std::optional<WindowShape> shape = WindowShape::match(op);
  if (!shape)
    return {};
  return {std::make_unique<WindowsPlanNHWC>(std::move(*shape), target)};
}

} // namespace

const VectorizationStrategy &windowsNHWC() {
  static constexpr VectorizationStrategy strategy{
      "windows-nhwc", "windows with vectors of channels", /*fusesReader=*/true, matchWindowsNHWC};
  return strategy;
}

} // namespace kgen
