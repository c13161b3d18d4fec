#include "ops/window/ConvolutionSums.h"

#include "dialect/kgen/NamedOps.h"
#include "ops/window/Filter.h"

using namespace mlir;

namespace kgen {
namespace {

using Shape = SmallVector<int64_t>;

/// The sums of one convolution.
class Convolution : FilterLowering {
public:
  Convolution(LoweringContext &c, const FilterInputs &inputs, const ConvolutionFactors &factors)
      : FilterLowering(c, inputs, factors.ofImage, factors.ofFilter), factors(factors),
        window(*windowOf(c, kernelOf(c, inputs))) {}

  Value sums() {
    bool isNarrow = hasNarrowGroups();
    Value image = padded(c, factors.image, window, elementAround(),
                         /*always=*/isDepthwise() || isNarrow);
    if (isDepthwise())
      return depthwise(image);
    if (isNarrow)
      return narrowGroups(image);
    if (group == 1 && (window.width.dilation == 1 || window.width.kernel == 1))
      return byRows(image);
    return byGroups(image);
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
    Value value = transposed(c.b, c.loc, c.reshape(factors.filter, shape), order);
    return c.reshape(value, result);
  }

  Value elementAround();
  Value sumsOf(Value image, Value weights, const std::vector<Dim> &shape, ArrayRef<AffineMap> maps,
               ArrayRef<int64_t> channelDims);
  ProductParameter forChannels(Value tensor, const std::vector<Dim> &shape, ArrayRef<int64_t> dims);
  bool hasNarrowGroups() const;
  Value depthwise(Value image);
  Value narrowGroups(Value image);
  Value byRows(Value image);
  Value byGroups(Value image);
  Value withGroupsBeside(Value sums);

  /// The shape of the result.
  std::vector<Dim> resultShape(int64_t depth) const { return {images, rows(), columns(), depth}; }

  const Dim &rows() const { return window.height.output; }
  const Dim &columns() const { return window.width.output; }

  const ConvolutionFactors &factors;
  Window window;
};

/// Returns what stands around the image: zero, or its zero point.
Value Convolution::elementAround() {
  Type element = getElementTypeOrSelf(factors.image.getType());
  bool isKnown = !factors.bytes || factors.bytes->zero || !readsAround(window);
  if (isKnown)
    return c.scalar(element,
                    factors.bytes ? static_cast<int8_t>(factors.bytes->zero.value_or(0)) : 0);
  return tensor::ExtractOp::create(c.b, c.loc, c.reshape(factors.bytes->zeroOfImage, {}));
}

/// A tensor of one element, or of one for each channel of the result, whose dimensions `dims` are.
ProductParameter Convolution::forChannels(Value tensor, const std::vector<Dim> &shape,
                                          ArrayRef<int64_t> dims) {
  if (!tensor)
    return {};
  if (cast<RankedTensorType>(tensor.getType()).getNumElements() == 1)
    return {c.reshape(tensor, {}), {}};
  Shape sizes;
  for (int64_t d : dims)
    sizes.push_back(*shape[d].number());
  return {c.reshape(tensor, sizes), SmallVector<int64_t>(dims)};
}

/// The sums of products, of a result of `shape` whose channels are the dimensions `channelDims`.
Value Convolution::sumsOf(Value image, Value weights, const std::vector<Dim> &shape,
                          ArrayRef<AffineMap> maps, ArrayRef<int64_t> channelDims) {
  if (!factors.bytes)
    return product(image, weights, zeros(shape), maps);
  const ConvolutionOfBytes &bytes = *factors.bytes;
  auto one = [&](Value tensor) { return forChannels(tensor, shape, {}); };
  QuantizedFactor left{image, maps[0], isUnsigned(ofImage), one(bytes.zeroOfImage),
                       one(bytes.scaleOfImage)},
      right{weights,
            maps[1],
            isUnsigned(ofFilter),
            {},
            forChannels(bytes.scalesOfFilter, shape, channelDims)};
  Type element = bytes.scaleOfImage ? Type(c.b.getF32Type()) : accumulator;
  return QuantizedProductOp::create(c.b, c.loc, left, right, c.empty(shape, element), maps[2],
                                    one(bytes.divisor).tensor,
                                    forChannels(bytes.bias, shape, channelDims));
}

/// One product for each row of the window, over its taps and their channels at once.
Value Convolution::byRows(Value image) {
  const WindowAxis &h = window.height, &w = window.width;
  TensorShape shape = tensorShapeOf(image);
  int64_t depth = w.kernel * channels;
  bool isFlat = w.kernel > 1;
  if (isFlat)
    image = c.withShape(image, std::vector<Dim>{shape.dim(0), shape.dim(1), shape.elements(2, 4)});
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
  return sumsOf(image, weights, resultShape(filters),
                {space.map(ofImage), space.map(ofFilter), space.map({n, y, x, out})}, {3});
}

/// [n, y, group, x, out / group] as [n, y, x, out].
Value Convolution::withGroupsBeside(Value sums) {
  return c.withShape(transposed(c.b, c.loc, sums, {0, 1, 3, 2, 4}), resultShape(filters));
}

/// One product for each group, over the taps of the window and their channels: kgen-order-windows
/// makes several of it.
Value Convolution::byGroups(Value image) {
  const WindowAxis &h = window.height, &w = window.width;
  int64_t in = channels / group, out = filters / group;
  TensorShape padded = tensorShapeOf(image);
  image = c.withShape(image, std::vector<Dim>{images, padded.dim(1), padded.dim(2), group, in});
  Value taps = filter({group, out, in, h.kernel, w.kernel}, {0, 3, 4, 2, 1},
                      {group, h.kernel, w.kernel, in, out});
  Space space(c.b.getContext());
  AffineExpr n = space.add(), y = space.add(), g = space.add(), x = space.add(), o = space.add(),
             row = space.add(), column = space.add(), k = space.add();
  AffineMap ofImage = space.map(
                {n, y * h.stride + row * h.dilation, x * w.stride + column * w.dilation, g, k}),
            ofFilter = space.map({g, row, column, k, o}), ofSums = space.map({n, y, g, x, o});
  return withGroupsBeside(sumsOf(image, taps, {images, rows(), group, columns(), out},
                                 {ofImage, ofFilter, ofSums}, {2, 4}));
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
    return sumsOf(image, weights, resultShape(filters),
                  {ofImage, space.map({row, column, channel}), space.map({n, y, x, channel})}, {3});
  }
  Value weights = filter({channels, several, h.kernel, w.kernel}, {2, 3, 0, 1},
                         {h.kernel, w.kernel, channels, several});
  AffineExpr one = space.add();
  Value sums = sumsOf(image, weights, {images, rows(), columns(), channels, several},
                      {space.map(ofImage.getResults()), space.map({row, column, channel, one}),
                       space.map({n, y, x, channel, one})},
                      {3, 4});
  return c.withShape(sums, resultShape(filters));
}

/// True if vectors hold several groups of as many results as channels.
bool Convolution::hasNarrowGroups() const {
  constexpr int64_t widest = 4, maxTaps = 128; // of those that loops over windows take
  int64_t size = channels / group;
  bool isPlain =
      ofImage == ofFilter && (ofImage == ElementType::f32 || ofImage == ElementType::f64);
  return isPlain && group > 1 && filters == channels && size > 1 && size <= widest &&
         llvm::isPowerOf2_64(size) && window.height.kernel * window.width.kernel * size <= maxTaps;
}

/// Vectors of channels of several groups: for each tap, every channel of a group in turn meets all
/// of the group's filters.
Value Convolution::narrowGroups(Value image) {
  const WindowAxis &h = window.height, &w = window.width;
  int64_t size = channels / group;
  Value weights = filter({filters, size, h.kernel, w.kernel}, {2, 1, 3, 0},
                         {h.kernel, size, w.kernel, filters});
  Space space(c.b.getContext());
  AffineExpr n = space.add(), y = space.add(), x = space.add(), channel = space.add(),
             row = space.add(), member = space.add(), column = space.add();
  AffineMap ofImage =
                space.map({n, y * h.stride + row * h.dilation, x * w.stride + column * w.dilation,
                           channel.floorDiv(size) * size + member}),
            ofFilter = space.map({row, member, column, channel}),
            ofSums = space.map({n, y, x, channel});
  return product(image, weights, zeros(resultShape(filters)), {ofImage, ofFilter, ofSums});
}

} // namespace

Value convolutionSums(LoweringContext &c, const FilterInputs &inputs,
                      const ConvolutionFactors &factors) {
  return Convolution(c, inputs, factors).sums();
}

} // namespace kgen
