#include "ops/window/ReduceWindow.h"

#include "dialect/kgen/EmptyTensor.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {

bool checkPooledImage(const InferenceContext &context) {
  size_t rank = context.input(0).shape.size();
  if (rank == 3 || rank == 4)
    return true;
  context.error(context.node.op->name +
                " takes images of one or two spatial dimensions, [n, c, w] or [n, c, h, w], not " +
                context.input(0).str());
  return false;
}

std::optional<Window> poolOf(const InferenceContext &context) {
  size_t rank = context.input(0).shape.size() - 2;
  int64_t ceilMode = context.integer("ceil_mode");
  if (ceilMode != 0 && ceilMode != 1) {
    context.error("ceil_mode must be 0 or 1, not " + std::to_string(ceilMode));
    return std::nullopt;
  }
  auto kernel = spatialAttribute(context, "kernel_shape", rank, 1, 1);
  return kernel ? windowOf(context, *kernel, ceilMode) : std::nullopt;
}

/// True if each window has an element of the image.
bool checkPadding(const InferenceContext &context, const Window &window) {
  for (const WindowAxis &axis : {window.height, window.width}) {
    if (axis.padBegin < axis.extent() && axis.padEnd < axis.extent())
      continue;
    context.error("pads must be smaller than the window, which has " +
                  std::to_string(axis.extent()) + " elements");
    return false;
  }
  return true;
}

std::vector<TensorType> inferPool(InferenceContext &context) {
  if (!checkPooledImage(context))
    return {};
  auto window = poolOf(context);
  if (!window || !checkPadding(context, *window))
    return {};
  return {
      imageType(context, context.input(0).shape[1], window->height.output, window->width.output)};
}

int64_t dimensionOfRows(const LoweringContext &c) {
  return c.dimensionOf(1, static_cast<int64_t>(c.input(0).shape.size())) == 1 ? 2 : 1;
}

/// Input 0 with two spatial dimensions.
Value pooledImage(LoweringContext &c, int64_t rows) {
  if (rows == 1)
    return imageOperand(c);
  Value image = c.operand(0);
  TensorShape shape = tensorShapeOf(image);
  if (shape.size() == 3)
    shape.insertDim(2, 1);
  return c.withShape(image, shape);
}

void setPooled(LoweringContext &c, Value image, int64_t rows, size_t i) {
  if (rows == 1)
    return setImage(c, image, i);
  c.setResult(c.withShape(image, c.resultShape(i)), i);
}

template <typename Op> LoweringContext::Body combination() {
  return [](OpBuilder &b, Location loc, ValueRange v) -> Value {
    return Op::create(b, loc, v[1], v[0]);
  };
}

WindowReduction maxOf(ElementType type) {
  if (type == ElementType::u8)
    return {0, combination<arith::MaxUIOp>()};
  if (type == ElementType::i8)
    return {std::numeric_limits<int8_t>::min(), combination<arith::MaxSIOp>()};
  return {-std::numeric_limits<double>::infinity(), combination<arith::MaximumFOp>()};
}

WindowReduction sumOf() { return {0, combination<arith::AddFOp>()}; }

Value reduceWindows(LoweringContext &c, Value image, const Window &window, int64_t rows,
                    Type element, const WindowReduction &reduction,
                    ArrayRef<WindowOperand> others) {
  TensorShape shape = tensorShapeOf(image);
  shape.setDim(rows, window.height.output);
  shape.setDim(rows + 1, window.width.output);
  MLIRContext *context = c.b.getContext();
  auto map = [&](ArrayRef<unsigned> dimensions) {
    return AffineMap::getMultiDimMapWithTargets(6, dimensions, context);
  };
  SmallVector<Value> operands{image};
  SmallVector<AffineMap> maps{windowMap(context, window, rows)};
  for (const WindowOperand &other : others) {
    operands.push_back(other.value);
    maps.push_back(other.map);
  }
  // The shape of the window is that of an operand whose elements nobody reads.
  operands.push_back(emptyTensor(c.b, c.loc,
                                 ArrayRef<int64_t>{window.height.kernel, window.width.kernel},
                                 getElementTypeOrSelf(image)));
  maps.append({map({4, 5}), map({0, 1, 2, 3})});
  return c.generic(c.filled(shape, element, reduction.start), operands, maps,
                   [&](OpBuilder &b, Location loc, ValueRange v) {
                     SmallVector<Value> scalars(v.drop_back(2));
                     scalars.push_back(v.back());
                     return reduction.combine(b, loc, scalars);
                   });
}

Value reduceWindows(LoweringContext &c, Value image, const Window &window, int64_t rows,
                    const WindowReduction &reduction) {
  image = padded(c, image, window, reduction.start, /*always=*/true, {rows, rows + 1});
  return reduceWindows(c, image, window, rows, computeType(getElementTypeOrSelf(image.getType())),
                       reduction);
}

Operator pool(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = floatTypes();
  op.keepsLayout = true;
  op.infer = inferPool;
  op.symbolicDims = imagesOfAnySize();
  op.attributes = windowAttributes(/*kernelIsRequired=*/true);
  op.attributes.push_back(
      {"ceil_mode", AttributeKind::integer, int64_t(0), false,
       "1: the output's size is rounded up: the last window may extend past the padding"});
  return op;
}

} // namespace kgen
