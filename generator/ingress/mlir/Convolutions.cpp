// Named convolutions of linalg as operators of kgen.
#include "ingress/mlir/ImportParts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Matchers.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {

static std::vector<int64_t> numbers(DenseIntElementsAttr attr) {
  return std::vector<int64_t>(attr.value_begin<int64_t>(), attr.value_end<int64_t>());
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static bool startsFromZero(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.value(), m_AnyZeroFloat()));
}

/// True if the windows reach the end of the image. linalg has results that are smaller, whose last
/// windows are left out.
static bool hasAllWindows(Operation *op, const ConvolutionForm &form) {
  ArrayRef<int64_t> image = shapeOf(op->getOperand(0)), filter = shapeOf(op->getOperand(1)),
                    result = shapeOf(op->getResult(0));
  for (size_t axis = 0; axis < form.strides.size(); ++axis) {
    size_t place = form.image.empty() ? axis + 2 : form.image[axis + 2],
           ofFilter = form.filter.empty()
                          ? axis + 2
                          : form.filter[form.filter.size() - form.strides.size() + axis];
    if (ShapedType::isDynamic(image[place]) && ShapedType::isDynamic(result[place]))
      continue;
    int64_t window = (filter[ofFilter] - 1) * form.dilations[axis] + 1;
    if (ShapedType::isDynamic(image[place]) || ShapedType::isDynamic(filter[ofFilter]) ||
        (image[place] - window) / form.strides[axis] + 1 != result[place])
      return false;
  }
  return true;
}

std::optional<ConvolutionForm> convolutionForm(Operation *op) {
  ConvolutionForm form;
  bool isKnown =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](linalg::Conv2DNhwcHwcfOp conv) {
            form = {{0, 3, 1, 2},
                    {3, 2, 0, 1},
                    {0, 2, 3, 1},
                    numbers(conv.getStrides()),
                    numbers(conv.getDilations())};
            return true;
          })
          .Case([&](linalg::Conv2DNhwcFhwcOp conv) {
            form = {{0, 3, 1, 2},
                    {0, 3, 1, 2},
                    {0, 2, 3, 1},
                    numbers(conv.getStrides()),
                    numbers(conv.getDilations())};
            return true;
          })
          .Case([&](linalg::Conv2DNchwFchwOp conv) {
            form = {{}, {}, {}, numbers(conv.getStrides()), numbers(conv.getDilations())};
            return true;
          })
          .Case([&](linalg::DepthwiseConv2DNhwcHwcOp conv) {
            form = {{0, 3, 1, 2},
                    {2, 0, 1},
                    {0, 2, 3, 1},
                    numbers(conv.getStrides()),
                    numbers(conv.getDilations())};
            ArrayRef<int64_t> filter = shapeOf(op->getOperand(1));
            form.group = filter[2];
            form.filterShape = {filter[2], 1, filter[0], filter[1]};
            return true;
          })
          .Case([&](linalg::DepthwiseConv2DNhwcHwcmOp conv) {
            form = {{0, 3, 1, 2},
                    {2, 3, 0, 1},
                    {0, 2, 3, 1},
                    numbers(conv.getStrides()),
                    numbers(conv.getDilations())};
            ArrayRef<int64_t> filter = shapeOf(op->getOperand(1));
            form.group = filter[2];
            form.filterShape = {filter[2] * filter[3], 1, filter[0], filter[1]};
            return true;
          })
          .Default(false);
  auto conv = dyn_cast<linalg::LinalgOp>(op);
  if (!isKnown || !conv.hasPureTensorSemantics() || !hasAllWindows(op, form))
    return std::nullopt;
  // Each element is a float of one type that Conv takes.
  Type element = getElementTypeOrSelf(op->getResult(0));
  for (Value operand : op->getOperands())
    if (getElementTypeOrSelf(operand) != element ||
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
      return std::nullopt;
  form.startsFromZero = startsFromZero(conv.getDpsInits()[0]);
  return form;
}

} // namespace kgen
