#include "ops/window/Filter.h"

#include "ops/product/MatMulLowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

ArrayRef<int64_t> kernelOf(const InferenceContext &c, const FilterInputs &inputs) {
  return ArrayRef(c.input(inputs.filter).shape.numbers()).drop_front(2);
}

int64_t filtersOf(const InferenceContext &c, const FilterInputs &inputs) {
  const std::vector<int64_t> &shape = c.input(inputs.filter).shape;
  return inputs.order == FilterOrder::resultFirst ? shape[0] : shape[1] * c.integer("group");
}

bool checkFilter(const InferenceContext &context, const FilterInputs &inputs) {
  const TensorType &x = context.input(0), &w = context.input(inputs.filter);
  int64_t group = context.integer("group");
  auto fail = [&](const std::string &message) {
    context.error(context.node.op->name + " of " + x.str() + " and " + w.str() + ": " + message);
    return false;
  };
  if (x.shape.size() != 3 && x.shape.size() != 4)
    return fail("images have one or two spatial dimensions, [n, c, w] or [n, c, h, w]");
  if (w.shape.size() != x.shape.size())
    return fail("the filter must have as many dimensions as the image");
  int64_t channels = x.shape[1], filters = filtersOf(context, inputs);
  if (group < 1 || channels % group != 0 || filters % group != 0)
    return fail("group must divide the channels, it is " + std::to_string(group));
  bool imageFirst = inputs.order == FilterOrder::imageFirst;
  int64_t wanted = imageFirst ? channels : channels / group, found = w.shape[imageFirst ? 0 : 1];
  if (found != wanted || channels == 0)
    return fail("the filter must have " + std::to_string(wanted) + " channels, it has " +
                std::to_string(found));
  if (llvm::is_contained(kernelOf(context, inputs), 0))
    return fail("the filter has no elements");
  if (context.hasAttribute("kernel_shape") &&
      ArrayRef(context.integers("kernel_shape")) != kernelOf(context, inputs))
    return fail("kernel_shape is not that of the filter");
  if (context.hasInput(inputs.bias) &&
      context.input(inputs.bias).shape != std::vector<int64_t>{filters})
    return fail("the bias must have one element for each of the " + std::to_string(filters) +
                " filters, it is " + context.input(inputs.bias).str());
  return true;
}

AttributeSchema groupAttribute() {
  return {"group", AttributeKind::integer, int64_t(1), false,
          "number of groups of channels, each convolved on its own"};
}

FilterLowering::FilterLowering(LoweringContext &c, const FilterInputs &inputs, ElementType ofImage,
                               ElementType ofFilter)
    : c(c), group(c.integer("group")), images(c.input(0).shape.dim(0)),
      channels(c.input(0).shape[1]), filters(filtersOf(c, inputs)), ofImage(ofImage),
      ofFilter(ofFilter), accumulator(accumulatorType(ofImage, c.b.getContext())) {}

Value FilterLowering::zeros(const std::vector<Dim> &shape) {
  return c.filled(shape, accumulator, 0.0);
}

Value FilterLowering::product(Value image, Value weights, Value sums, ArrayRef<AffineMap> maps) {
  return c.generic(sums, {image, weights}, maps, [&](OpBuilder &b, Location loc, ValueRange v) {
    return addedProduct(b, loc, {v[0], ofImage}, {v[1], ofFilter}, v[2]);
  });
}

Value withBias(LoweringContext &c, const FilterInputs &inputs, Value sums) {
  Type element = toMlir(c.resultType().element, c.b.getContext());
  if (!c.hasInput(inputs.bias))
    return c.rounded(sums, element);
  return c.elementwise(cast<RankedTensorType>(sums.getType()).clone(element),
                       {sums, c.operand(inputs.bias)},
                       [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         return arith::AddFOp::create(b, loc, v[0], v[1]);
                       });
}

} // namespace kgen
