// ConvTranspose in one and two dimensions: [n, c, spatial...] with filters [c, out / group,
// spatial...].
//
// The results of one phase (their distance is the stride) are an ordinary convolution of the image
// with some of the taps, in reverse order. So each of these phases becomes products of matrices as
// Conv's are, with the channels last, whose rows are written where they belong in the result:
// nothing is added up in memory, and no product is with zeros that were put between the image's
// elements.
#include "ops/ElementRemap.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"
#include "ops/product/ScaledWeights.h"
#include "ops/window/Filter.h"
#include "ops/window/TransposedWindow.h"
#include "ops/window/Window.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr FilterInputs imageFirst{FilterOrder::imageFirst};

std::vector<TensorType> inferTransposed(InferenceContext &context) {
  if (!checkElementTypes(context) || !checkFilter(context, imageFirst))
    return {};
  auto window = transposedWindowOf(context, kernelOf(context, imageFirst));
  if (!window)
    return {};
  return {imageType(context, filtersOf(context, imageFirst), window->height.output,
                    window->width.output)};
}

/// Lowers one ConvTranspose.
class TransposedConvolution : FilterLowering {
public:
  explicit TransposedConvolution(LoweringContext &c)
      : FilterLowering(c, imageFirst, c.input(0).element, c.input(1).element),
        window(*transposedWindowOf(c, kernelOf(c, imageFirst))) {}

  void lower();

private:
  /// One phase in each dimension.
  struct Phase {
    WindowPhase height, width;
    bool isEmpty() const { return height.taps == 0 || width.taps == 0; }
  };

  void spread();
  void pad();
  Value phase(const Phase &p);
  Value byRows(const Phase &p);
  Value byTaps(const Phase &p);
  Value depthwise(const Phase &p);
  Value part(const Phase &p, int64_t tap, int64_t taps);
  Value taps(const Phase &p, ArrayRef<int64_t> shape, ArrayRef<AffineExpr> channel, AffineExpr row,
             AffineExpr column);

  AffineExpr d(unsigned position) { return getAffineDimExpr(position, c.b.getContext()); }
  AffineMap map(unsigned rank, ArrayRef<AffineExpr> results) {
    return AffineMap::get(rank, 0, results, c.b.getContext());
  }

  TransposedWindow window;
  Value image;                 ///< [n, height, width, channels], padded
  int64_t above = 0, left = 0; ///< rows and columns in front of the image
};

/// So many phases that each of them would be little work and much code: zeros are put between the
/// elements of the image instead, which leaves one.
void TransposedConvolution::spread() {
  constexpr int64_t maxPhases = 64;
  TransposedAxis &h = window.height, &w = window.width;
  if (h.stride * w.stride <= maxPhases)
    return;
  Dim height = (h.input - 1) * h.stride + 1, width = (w.input - 1) * w.stride + 1;
  auto type = cast<RankedTensorType>(image.getType());
  Value zero =
      c.filled(std::vector<Dim>{images, height, width, channels}, type.getElementType(), 0.0);
  image = insertStridedSlice(c.b, c.loc, zero, image, {0, 0, 0, 0}, {1, h.stride, w.stride, 1});
  h.input = height;
  w.input = width;
  h.stride = w.stride = 1;
}

/// With zeros for what phases read around the image.
void TransposedConvolution::pad() {
  SmallVector<OpFoldResult> low(4, c.b.getIndexAttr(0)), high(low);
  TensorShape shape = tensorShapeOf(image);
  auto along = [&](const TransposedAxis &axis, int64_t position) {
    int64_t before = 0, behind = 0;
    for (const WindowPhase &phase : axis.phases()) {
      before = std::max(before, phase.taps == 0 ? 0 : -phase.shift);
      behind = std::max(behind, *(phase.end() - axis.input).number());
    }
    low[position] = c.b.getIndexAttr(before);
    high[position] = c.b.getIndexAttr(behind);
    shape.setDim(position, shape.dim(position) + before + behind);
    return before;
  };
  above = along(window.height, 1);
  left = along(window.width, 2);
  Type element = getElementTypeOrSelf(image);
  if (tensorShapeOf(image) == shape && !isDepthwise())
    return;
  // Operations that compute the image elementwise are not fused with sums over windows, which would
  // compute it for each tap.
  image = tensor::PadOp::create(c.b, c.loc, tensorOf(shape, element), image, low, high,
                                c.scalar(element, 0.0), /*nofold=*/isDepthwise());
}

/// Returns what `taps` taps of the phase's columns read, from tap `tap` on: [n, height, width,
/// channels].
Value TransposedConvolution::part(const Phase &p, int64_t tap, int64_t taps) {
  Dim rows = p.height.count + (p.height.taps - 1) * p.height.inputStride,
      columns = p.width.count + (taps - 1) * p.width.inputStride;
  int64_t row = above + p.height.shift, column = left + p.width.shift + tap * p.width.inputStride;
  return extractSliceOfShape(c.b, c.loc, image, {0, row, column, 0},
                             std::vector<Dim>{images, rows, columns, channels});
}

/// The filter's elements as a tensor of `shape`: `channel` says which input and output channel,
/// `row` and `column` which tap of the phase.
Value TransposedConvolution::taps(const Phase &p, ArrayRef<int64_t> shape,
                                  ArrayRef<AffineExpr> channel, AffineExpr row, AffineExpr column) {
  const WindowPhase &h = p.height, &w = p.width;
  Value filter = c.reshape(c.operand(1),
                           {channels, filters / group, window.height.kernel, window.width.kernel});
  AffineMap tapMap = map(shape.size(), {channel[0], channel[1], h.tap - row * h.tapStride,
                                        w.tap - column * w.tapStride});
  return c.factor(rearranged(c, filter, tapMap, shape));
}

/// One product for each row of taps, over the columns and the channels at once.
Value TransposedConvolution::byRows(const Phase &p) {
  int64_t depth = p.width.taps * channels;
  Value weights =
      taps(p, {p.height.taps, p.width.taps, channels, filters}, {d(2), d(3)}, d(0), d(1));
  Value source = part(p, 0, p.width.taps);
  TensorShape shape = tensorShapeOf(source);
  source =
      c.withShape(source, std::vector<Dim>{images, shape.dim(1), shape.dim(2) * Dim(channels)});
  // Over (n, row, column, filter, row of taps, k).
  Value sums = zeros({images, p.height.count, p.width.count, filters});
  if (p.height.taps == 1)
    return product(source, c.reshape(weights, {depth, filters}), sums,
                   {map(5, {d(0), d(1), d(2) * channels + d(4)}), map(5, {d(4), d(3)}),
                    map(5, {d(0), d(1), d(2), d(3)})});
  return product(source, c.reshape(weights, {p.height.taps, depth, filters}), sums,
                 {map(6, {d(0), d(1) + d(4) * p.height.inputStride, d(2) * channels + d(5)}),
                  map(6, {d(4), d(5), d(3)}), map(6, {d(0), d(1), d(2), d(3)})});
}

/// One product for each tap and each group.
Value TransposedConvolution::byTaps(const Phase &p) {
  int64_t in = channels / group, out = filters / group;
  Value sums = zeros({images, p.height.count, group, p.width.count, out});
  // Over (n, row, group, column, filter, row of taps, k).
  AffineMap ofImage = map(7, {d(0), d(1) + d(5) * p.height.inputStride, d(3), d(2), d(6)}),
            ofFilter = map(7, {d(2), d(5), d(6), d(4)}),
            ofSums = map(7, {d(0), d(1), d(2), d(3), d(4)});
  for (int64_t column = 0; column < p.width.taps; ++column) {
    Value source = part(p, column, 1);
    TensorShape shape = tensorShapeOf(source);
    source = c.withShape(source, std::vector<Dim>{images, shape.dim(1), shape.dim(2), group, in});
    Value weights = taps(p, {group, p.height.taps, in, out}, {d(0) * in + d(2), d(3)}, d(1),
                         getAffineConstantExpr(column, c.b.getContext()));
    sums = product(source, weights, sums, {ofImage, ofFilter, ofSums});
  }
  sums = transposed(c.b, c.loc, sums, {0, 1, 3, 2, 4});
  return c.withShape(sums, std::vector<Dim>{images, p.height.count, p.width.count, filters});
}

/// Each channel by itself, with one filter: vectors of channels.
Value TransposedConvolution::depthwise(const Phase &p) {
  AffineExpr zero = getAffineConstantExpr(0, c.b.getContext());
  Value weights = taps(p, {p.height.taps, p.width.taps, channels}, {d(2), zero}, d(0), d(1));
  // Over (n, row, column, channel, row of taps, column of taps).
  return product(
      part(p, 0, p.width.taps), weights, zeros({images, p.height.count, p.width.count, channels}),
      {map(6, {d(0), d(1) + d(4) * p.height.inputStride, d(2) + d(5) * p.width.inputStride, d(3)}),
       map(6, {d(4), d(5), d(3)}), map(6, {d(0), d(1), d(2), d(3)})});
}

Value TransposedConvolution::phase(const Phase &p) {
  if (p.isEmpty())
    return withBias(c, imageFirst, zeros({images, p.height.count, p.width.count, filters}));
  if (isDepthwise() && filters == channels)
    return withBias(c, imageFirst, depthwise(p));
  if (group == 1 && (p.width.inputStride == 1 || p.width.taps == 1))
    return withBias(c, imageFirst, byRows(p));
  return withBias(c, imageFirst, byTaps(p));
}

void TransposedConvolution::lower() {
  image = c.factor(imageOperand(c));
  spread();
  pad();
  const TransposedAxis &h = window.height, &w = window.width;
  SmallVector<WindowPhase> columns = w.phases();
  SmallVector<InsertedSlice> phases;
  for (const WindowPhase &row : h.phases())
    for (const WindowPhase &column : columns)
      phases.push_back({phase({row, column}), TensorShape{0, row.first, column.first, 0}});
  if (phases.size() == 1)
    return setImage(c, phases.front().value);
  Type element = toMlir(c.resultType().element, c.b.getContext());
  TensorShape shape(std::vector<Dim>{images, h.output, w.output, filters});
  setImage(c, assembled(c.b, c.loc, shape, element, phases, {1, h.stride, w.stride, 1}));
}

} // namespace

std::vector<Operator> transposedConvolutionOperators() {
  Operator op;
  op.name = "ConvTranspose";
  op.summary =
      "transposed convolution of images [n, c, w] or [n, c, h, w] with filters, and a bias";
  op.minInputs = 2;
  op.maxInputs = 3;
  op.factors = 2;
  op.attributes = transposedWindowAttributes();
  op.attributes.push_back(groupAttribute());
  op.types = floatTypes();
  op.infer = inferTransposed;
  op.symbolicDims = imagesOfAnySize();
  op.scaled = scaledTransposedFilters;
  op.lower = [](LoweringContext &c) { TransposedConvolution(c).lower(); };
  return {op};
}

} // namespace kgen
