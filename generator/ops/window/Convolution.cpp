// Conv in one and two dimensions: [n, c, spatial...] with filters [out, c / group, spatial...].
#include "ops/TypeRules.h"
#include "ops/product/DequantizedProduct.h"
#include "ops/product/ScaledWeights.h"
#include "ops/window/ConvolutionSums.h"

using namespace mlir;

namespace kgen {
namespace {

constexpr FilterInputs inputs;

std::vector<TensorType> inferConv(InferenceContext &context) {
  if (!checkElementTypes(context) || !checkFilter(context, inputs))
    return {};
  auto window = windowOf(context, kernelOf(context, inputs));
  if (!window)
    return {};
  return {
      imageType(context, filtersOf(context, inputs), window->height.output, window->width.output)};
}

bool hasTiles(const InferenceContext &context) {
  auto window = windowOf(context, kernelOf(context, inputs));
  auto fits = [](const WindowAxis &axis) {
    return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
  };
  return window && fits(window->height) && fits(window->width) && context.integer("group") == 1 &&
         context.input(0).element == ElementType::f32 && context.constantData(1) &&
         context.graph.compute == ElementType::f32;
}

void lowerConv(LoweringContext &c) {
  ConvolutionFactors factors{c.factor(imageOperand(c)), c.factor(c.operand(1)), c.input(0).element,
                             c.input(1).element};
  if (multipliesBytes(c))
    factors.bytes = bytesOfConvolution(c);
  setImage(c, withBias(c, inputs, convolutionSums(c, inputs, factors)));
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
  op.symbolicDims = imagesOfAnySize();
  op.scaled = scaledFilters;
  op.hasTiles = hasTiles;
  op.lower = lowerConv;
  return {op};
}

} // namespace kgen
