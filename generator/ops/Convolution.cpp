// Conv in one and two dimensions: [n, c, spatial...] with filters [out, c / group, spatial...].
//
// Inside, images have their channels last. The taps of a row of the window are then neighbours, so
// that a convolution is a sum of one product of matrices for each row of the window: the rows of
// the left one are pieces of a row of the image that overlap. Groups and taps that are apart
// (dilations along a row) have one product for each column of the window, too.
#include "ops/DequantizedProduct.h"
#include "ops/Filter.h"
#include "ops/Piece.h"
#include "ops/ScaledWeights.h"
#include "ops/TypeRules.h"
#include "ops/Window.h"

using namespace mlir;

namespace kgen {
namespace {

using Shape = SmallVector<int64_t>;

constexpr FilterOrder order = FilterOrder::resultFirst;

std::vector<TensorType> inferConv(InferenceContext &context) {
  if (!checkFilter(context, order))
    return {};
  auto window = windowOf(context, kernelOf(context));
  if (!window)
    return {};
  return {
      imageType(context, filtersOf(context, order), window->height.output, window->width.output)};
}

bool hasTiles(const InferenceContext &context) {
  auto window = windowOf(context, kernelOf(context));
  auto fits = [](const WindowAxis &axis) {
    return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
  };
  return window && fits(window->height) && fits(window->width) && context.integer("group") == 1 &&
         context.input(0).element == ElementType::f32 && context.constantData(1) &&
         context.graph.compute == ElementType::f32;
}

/// Lowers one Conv.
class Convolution : FilterLowering {
public:
  explicit Convolution(LoweringContext &c)
      : FilterLowering(c, order), window(*windowOf(c, kernelOf(c))) {}

  void lower() {
    Value image = c.factor(imageOperand(c)), sums;
    double zero = multipliesBytes(c) ? static_cast<int8_t>(zeroOfImage(c)) : 0.0; // as bits
    image = padded(c, image, window, zero, /*always=*/isDepthwise());
    if (isDepthwise())
      sums = depthwise(image);
    else if (group == 1 && (window.width.dilation == 1 || window.width.kernel == 1))
      sums = byRows(image);
    else
      sums = byTaps(image);
    setImage(c, finish(sums));
  }

private:
  /// An iteration space whose dimensions have names, and the maps of operands over it.
  struct Space {
    explicit Space(MLIRContext *context) : context(context) {}
    AffineExpr add() { return getAffineDimExpr(rank++, context); }
    AffineMap map(ArrayRef<AffineExpr> results) const {
      return AffineMap::get(rank, 0, results, context);
    }
    MLIRContext *context;
    unsigned rank = 0;
  };

  /// The filter [out, c, h, w] in another order; one of one spatial dimension has a height of one.
  Value filter(ArrayRef<int64_t> shape, ArrayRef<int64_t> order, ArrayRef<int64_t> result) {
    Value value = transposed(c.b, c.loc, c.reshape(c.operand(1), shape), order);
    return c.factor(c.reshape(value, result));
  }

  Value depthwise(Value image);
  Value byRows(Value image);
  Value byTaps(Value image);
  Value columnOfTaps(Value image, int64_t column);

  int64_t rows() const { return window.height.output; }
  int64_t columns() const { return window.width.output; }

  Window window;
};

/// One product for each row of the window, over its taps and their channels at once.
Value Convolution::byRows(Value image) {
  const WindowAxis &h = window.height, &w = window.width;
  Shape shape(cast<RankedTensorType>(image.getType()).getShape());
  int64_t depth = w.kernel * channels;
  bool isFlat = w.kernel > 1;
  if (isFlat)
    image = c.reshape(image, {shape[0], shape[1], shape[2] * shape[3]});
  Space space(c.b.getContext());
  AffineExpr n = space.add(), y = space.add(), x = space.add(), out = space.add();
  AffineExpr row = y * h.stride;
  SmallVector<AffineExpr> ofFilter;
  Shape filterShape{depth, filters};
  if (h.kernel > 1) {
    AffineExpr tap = space.add();
    row = row + tap * h.dilation;
    ofFilter.push_back(tap);
    filterShape.insert(filterShape.begin(), h.kernel);
  }
  AffineExpr k = space.add();
  ofFilter.append({k, out});
  SmallVector<AffineExpr> ofImage{n, row};
  if (isFlat)
    ofImage.push_back(x * (w.stride * channels) + k);
  else
    ofImage.append({x * w.stride, k});
  Value weights = filter({filters, channels, h.kernel, w.kernel}, {2, 3, 1, 0}, filterShape);
  return product(image, weights, zeros({images, rows(), columns(), filters}),
                 {space.map(ofImage), space.map(ofFilter), space.map({n, y, x, out})});
}

/// Column `column` of the filter's taps for each group: [group, taps, c / group, out / group].
Value Convolution::columnOfTaps(Value all, int64_t column) {
  Shape sizes(cast<RankedTensorType>(all.getType()).getShape()), offsets(sizes.size(), 0);
  offsets[0] = column;
  sizes[0] = 1;
  return piece(c.b, c.loc, all, indices(c.b, offsets), sizes, ArrayRef(sizes).drop_front());
}

/// One product for each tap of the window and each group.
Value Convolution::byTaps(Value image) {
  const WindowAxis &h = window.height, &w = window.width;
  int64_t in = channels / group, out = filters / group;
  Shape padded(cast<RankedTensorType>(image.getType()).getShape());
  image = c.reshape(image, {images, padded[1], padded[2], group, in});
  Value taps = filter({group, out, in, h.kernel, w.kernel}, {4, 0, 3, 2, 1},
                      {w.kernel, group, h.kernel, in, out});
  Space space(c.b.getContext());
  AffineExpr n = space.add(), y = space.add(), g = space.add(), x = space.add(), o = space.add(),
             tap = space.add(), k = space.add();
  AffineMap ofImage = space.map({n, y * h.stride + tap * h.dilation, x * w.stride, g, k}),
            ofFilter = space.map({g, tap, k, o}), ofSums = space.map({n, y, g, x, o});
  Value sums = zeros({images, rows(), group, columns(), out});
  for (int64_t column = 0; column < w.kernel; ++column) {
    Value part = piece(c.b, c.loc, image, {0, 0, column * w.dilation, 0, 0},
                       {images, padded[1], (columns() - 1) * w.stride + 1, group, in});
    sums = product(part, columnOfTaps(taps, column), sums, {ofImage, ofFilter, ofSums});
  }
  sums = transposed(c.b, c.loc, sums, {0, 1, 3, 2, 4});
  return c.reshape(sums, {images, rows(), columns(), filters});
}

/// Each channel by itself, with one filter or several: vectors of channels.
Value Convolution::depthwise(Value image) {
  const WindowAxis &h = window.height, &w = window.width;
  int64_t several = filters / channels;
  AffineMap ofImage = windowMap(c.b.getContext(), window);
  Space space(c.b.getContext());
  AffineExpr n = space.add(), y = space.add(), x = space.add(), channel = space.add(),
             row = space.add(), column = space.add();
  if (several == 1) {
    Value weights = filter({filters, h.kernel, w.kernel}, {1, 2, 0}, {h.kernel, w.kernel, filters});
    return product(image, weights, zeros({images, rows(), columns(), filters}),
                   {ofImage, space.map({row, column, channel}), space.map({n, y, x, channel})});
  }
  Value weights = filter({channels, several, h.kernel, w.kernel}, {2, 3, 0, 1},
                         {h.kernel, w.kernel, channels, several});
  AffineExpr one = space.add();
  Value sums = product(image, weights, zeros({images, rows(), columns(), channels, several}),
                       {space.map(ofImage.getResults()), space.map({row, column, channel, one}),
                        space.map({n, y, x, channel, one})});
  return c.reshape(sums, {images, rows(), columns(), filters});
}

} // namespace

std::vector<Operator> convolutionOperators() {
  Operator op;
  op.name = "Conv";
  op.summary = "convolution of images [n, c, w] or [n, c, h, w] with filters, and a bias";
  op.minInputs = 2;
  op.maxInputs = 3;
  op.factors = 2;
  op.attributes = windowAttributes(/*kernelIsRequired=*/false);
  op.attributes.push_back(groupAttribute());
  op.types = floatTypes();
  op.infer = inferConv;
  op.scaled = scaledFilters;
  op.hasTiles = hasTiles;
  op.lower = [](LoweringContext &c) { Convolution(c).lower(); };
  return {op};
}

} // namespace kgen
