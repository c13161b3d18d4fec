#include "ops/Lowering.h"

#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/PrecisionHints.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <cassert>

using namespace mlir;

namespace kgen {

Type toMlir(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::f32:
    return Float32Type::get(context);
  case ElementType::f64:
    return Float64Type::get(context);
  case ElementType::f16:
    return Float16Type::get(context);
  case ElementType::bf16:
    return BFloat16Type::get(context);
  default:
    return IntegerType::get(context, 8 * byteWidth(type));
  }
}

RankedTensorType toMlir(const TensorType &type, MLIRContext *context) {
  return tensorOf(type.shape, toMlir(type.element, context));
}

Type computeType(Type element) {
  return isa<BFloat16Type, Float16Type>(element) ? Float32Type::get(element.getContext()) : element;
}

constexpr size_t blobAlignment = 64; ///< in bytes: a cache line

/// `makeBlob` gives the memory of a resource.
static Value constantOf(OpBuilder &builder, Location loc, RankedTensorType type, StringRef name,
                        ArrayRef<char> bytes, llvm::function_ref<AsmResourceBlob()> makeBlob) {
  constexpr int64_t smallestResource = 17;
  ElementsAttr data;
  if (type.getNumElements() < smallestResource)
    data = DenseElementsAttr::getFromRawBuffer(type, bytes);
  else
    data = DenseResourceElementsAttr::get(type, name, makeBlob());
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(data));
}

Value denseConstant(OpBuilder &builder, Location loc, RankedTensorType type, StringRef name,
                    ArrayRef<char> bytes) {
  return constantOf(builder, loc, type, name, bytes, [&] {
    AsmResourceBlob blob = allocateInLargePages(bytes.size());
    llvm::copy(bytes, blob.getMutableData().begin());
    return blob;
  });
}

Value denseConstant(OpBuilder &builder, Location loc, RankedTensorType type, StringRef name,
                    const WeightData &data) {
  return constantOf(builder, loc, type, name, *data, [&] {
    // The resource is one of the owners of the weight, and gives it up where its memory is freed.
    // The alignment is that of the text in dumps: elements have no larger one than their size.
    return AsmResourceBlob(
        *data, blobAlignment, [data](void *, size_t, size_t) {},
        /*dataIsMutable=*/false);
  });
}

LoweringContext::LoweringContext(const Graph &graph, const Node &node, Diagnostics &diagnostics,
                                 OpBuilder &builder, Location loc, OperandSource operands,
                                 NarrowFactors &narrowFactors, Layout layout)
    : InferenceContext(graph, node, diagnostics), b(builder), loc(loc),
      operands(std::move(operands)), produced(node.outputs.size()), narrowFactors(narrowFactors),
      layout(layout) {}

const TensorType &LoweringContext::resultType(size_t i) const {
  return graph.values[node.outputs[i]].type;
}

/// The shape of result i in that order.
TensorShape LoweringContext::ordered(size_t i, Layout order) const {
  const TensorShape &plain = resultType(i).shape;
  if (order == Layout::plain || plain.size() < 3)
    return plain;
  TensorShape shape;
  for (int64_t dimension : channelsLastOrder(plain.size()))
    shape.push_back(plain.dim(dimension));
  return shape;
}

RankedTensorType LoweringContext::orderedTensor(size_t i, Layout order) const {
  return tensorOf(ordered(i, order), toMlir(resultType(i).element, b.getContext()));
}

int64_t LoweringContext::dimensionOf(int64_t dimension, int64_t rank) const {
  if (layout == Layout::plain || rank < 3 || dimension == 0)
    return dimension;
  return dimension == 1 ? rank - 1 : dimension - 1;
}

RankedTensorType LoweringContext::resultTensor(size_t i) const { return orderedTensor(i, layout); }

TensorShape LoweringContext::resultShape(size_t i) const { return ordered(i, layout); }

void LoweringContext::setResult(Value value, size_t i) {
  assert(value.getType() == resultTensor(i) && "lowering and inference disagree");
  produced[i] = {value, layout};
}

void LoweringContext::setChannelsLast(Value value, size_t i) {
  assert(value.getType() == orderedTensor(i, Layout::channelsLast) &&
         "lowering and inference disagree");
  produced[i] = {value, Layout::channelsLast};
}

Value emptyTensor(OpBuilder &b, Location loc, const TensorShape &shape, Type element) {
  return emptyTensor(b, loc, sizeValues(b, shape), element);
}

Value LoweringContext::empty(RankedTensorType type) {
  assert(type.hasStaticShape() && "sizes that are symbolic are those of a TensorShape");
  return emptyTensor(b, loc, type.getShape(), type.getElementType());
}

Value LoweringContext::scalar(Type elementType, double value) {
  TypedAttr number;
  if (isa<FloatType>(elementType))
    number = b.getFloatAttr(elementType, value);
  else
    number = b.getIntegerAttr(elementType, static_cast<int64_t>(value));
  return arith::ConstantOp::create(b, loc, number);
}

Value LoweringContext::filled(RankedTensorType type, double value) {
  Value element = scalar(type.getElementType(), value);
  return linalg::FillOp::create(b, loc, element, empty(type)).getResult(0);
}

Value LoweringContext::filled(const TensorShape &shape, Type element, double value) {
  Value number = scalar(element, value);
  return linalg::FillOp::create(b, loc, number, empty(shape, element)).getResult(0);
}

Value LoweringContext::filledWith(const TensorShape &shape, TypedAttr value) {
  Value element = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, element, empty(shape, value.getType())).getResult(0);
}

Value LoweringContext::filledWith(RankedTensorType type, TypedAttr value) {
  Value element = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, element, empty(type)).getResult(0);
}

Value LoweringContext::generic(Value out, ValueRange inputs, ArrayRef<AffineMap> maps,
                               const Body &body) {
  return build(out, inputs, maps, body, /*widens=*/true);
}

Value LoweringContext::genericOfBits(Value out, ValueRange inputs, ArrayRef<AffineMap> maps,
                                     const Body &body) {
  return build(out, inputs, maps, body, /*widens=*/false);
}

Value LoweringContext::build(Value out, ValueRange inputs, ArrayRef<AffineMap> maps,
                             const Body &body, bool upconverts) {
  GenericBuilder builder(b, loc);
  Value made = upconverts ? builder.generic(out, inputs, maps, body)
                          : builder.genericOfBits(out, inputs, maps, body);
  bool isRounded = hasInput(0) &&
                   (input(0).element == ElementType::bf16 || input(0).element == ElementType::f16);
  if (upconverts && isRounded) {
    auto type = cast<FloatType>(toMlir(input(0).element, b.getContext()));
    made.getDefiningOp()->walk([&](Operation *op) { markResultPrecision(op, type); });
  }
  return made;
}

Value LoweringContext::indexed(RankedTensorType result, ValueRange inputs, ArrayRef<AffineMap> maps,
                               const IndexedBody &body) {
  TensorShape shape(result.getShape().begin(), result.getShape().end());
  if (!result.hasStaticShape())
    shape = !inputs.empty() && maps.front().isIdentity() ? tensorShapeOf(inputs.front())
                                                         : resultShape();
  return indexed(shape, result.getElementType(), inputs, maps, body);
}

Value LoweringContext::indexed(const TensorShape &shape, Type element, ValueRange inputs,
                               ArrayRef<AffineMap> maps, const IndexedBody &body) {
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto fill = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    SmallVector<Value> indices;
    for (size_t d = 0; d < shape.size(); ++d)
      indices.push_back(linalg::IndexOp::create(inner, at, d));
    linalg::YieldOp::create(inner, at, body(inner, at, indices, scalars.drop_back()));
  };
  Value out = empty(shape, element);
  return linalg::GenericOp::create(b, loc, out.getType(), inputs, out, all, iterators, fill)
      .getResult(0);
}

Value LoweringContext::rounded(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return elementwise(type.clone(element), value,
                     [](OpBuilder &, Location, ValueRange x) { return x[0]; });
}

Value LoweringContext::factor(Value value) {
  if (graph.compute == ElementType::f32 || !getElementTypeOrSelf(value).isF32())
    return value;
  auto element = cast<FloatType>(toMlir(graph.compute, b.getContext()));
  return narrowFactors.rounded(b, loc, value, element);
}

Value LoweringContext::elementwise(RankedTensorType result, ValueRange operands, const Body &body) {
  return broadcastGeneric(result, operands, body, /*widens=*/true);
}

Value LoweringContext::movedElements(RankedTensorType result, ValueRange operands,
                                     const Body &body) {
  return broadcastGeneric(result, operands, body, /*widens=*/false);
}

Value LoweringContext::movedElements(RankedTensorType result, Value value, AffineMap map) {
  AffineMap identity = b.getMultiDimIdentityMap(result.getRank());
  TensorShape from = tensorShapeOf(value),
              shape(result.getShape().begin(), result.getShape().end());
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (result.isDynamicDim(d))
      shape.setDim(d, from.dim(*map.getResultPosition(b.getAffineDimExpr(d))));
  return build(
      empty(shape, result.getElementType()), value, {map, identity},
      [](OpBuilder &, Location, ValueRange v) { return v[0]; }, /*widens=*/false);
}

Broadcast LoweringContext::broadcast(Value operand, RankedTensorType to) {
  TensorShape shape = tensorShapeOf(operand), kept;
  int64_t rank = to.getRank(), missing = rank - static_cast<int64_t>(shape.size());
  SmallVector<AffineExpr> dims;
  for (int64_t d = missing; d < rank; ++d) {
    // A dimension that is repeated disappears from the operand instead of being read at index 0:
    // maps stay projected permutations, which tiling, fusion and vectorization understand.
    if (shape.isUnit(d - missing) && to.getDimSize(d) != 1)
      continue;
    kept.push_back(shape.dim(d - missing));
    dims.push_back(b.getAffineDimExpr(d));
  }
  return {withShape(operand, kept), AffineMap::get(rank, 0, dims, b.getContext())};
}

/// Returns what the shapes of operands with symbols broadcast to.
static TensorShape broadcastShape(ValueRange operands) {
  TensorShape shape;
  for (Value operand : operands)
    shape = *broadcastShapes(shape, tensorShapeOf(operand));
  return shape;
}

Value LoweringContext::broadcastGeneric(RankedTensorType result, ValueRange operands,
                                        const Body &body, bool upconverts) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  TensorShape shape(result.getShape().begin(), result.getShape().end());
  if (!result.hasStaticShape())
    shape = broadcastShape(operands);
  for (Value operand : operands) {
    Broadcast spread = broadcast(operand, result);
    inputs.push_back(spread.value);
    maps.push_back(spread.map);
  }
  maps.push_back(b.getMultiDimIdentityMap(result.getRank()));
  auto dropOut = [&](OpBuilder &inner, Location at, ValueRange args) {
    return body(inner, at, args.drop_back());
  };
  return build(empty(shape, result.getElementType()), inputs, maps, dropOut, upconverts);
}

} // namespace kgen
