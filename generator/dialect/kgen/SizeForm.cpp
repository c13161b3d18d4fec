#include "dialect/kgen/SizeForm.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/Size.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>
#include <mlir/Interfaces/LoopLikeInterface.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
namespace {

/// Collects the values of a size's expression.
class FormBuilder {
public:
  explicit FormBuilder(MLIRContext *context) : context(context) {}

  /// Null if the size is not known.
  AffineExpr of(Value shaped, int64_t dim);
  AffineExpr of(OpFoldResult size);

  SmallVector<Value> symbols;

private:
  AffineExpr ofArgument(BlockArgument shaped, int64_t dim);
  AffineExpr ofResult(OpResult shaped, int64_t dim);
  AffineExpr ofAttribute(OpResult shaped, int64_t dim);
  /// A function of the function's index arguments; those that it does not use are no symbols.
  AffineExpr ofParameters(AffineExpr size, FunctionOpInterface function);
  AffineExpr ofSlice(OffsetSizeAndStrideOpInterface slice, const llvm::SmallBitVector &dropped,
                     int64_t dim);
  AffineExpr ofCollapsed(Value source, ArrayRef<int64_t> dims);
  AffineExpr ofPadded(tensor::PadOp pad, int64_t dim);
  AffineExpr ofConcatenated(tensor::ConcatOp concat, int64_t dim);
  AffineExpr ofElement(Value shape, int64_t dim);

  MLIRContext *context;
};

AffineExpr FormBuilder::of(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return getAffineConstantExpr(*number, context);
  auto value = cast<Value>(size);
  auto *found = llvm::find(symbols, value);
  unsigned position = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(value);
  return getAffineSymbolExpr(position, context);
}

AffineExpr FormBuilder::of(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), context);
  auto result = dyn_cast<OpResult>(shaped);
  return result ? ofResult(result, dim) : ofArgument(cast<BlockArgument>(shaped), dim);
}

/// An argument of a function, or a value that a loop carries, which keeps its sizes.
AffineExpr FormBuilder::ofArgument(BlockArgument shaped, int64_t dim) {
  Operation *parent = shaped.getOwner()->getParentOp();
  if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent)) {
    OpOperand *init = loop.getTiedLoopInit(shaped);
    return init ? of(init->get(), dim) : AffineExpr();
  }
  AffineMap map = shapeMapOf(shaped);
  if (!map ||
      map.getNumResults() != static_cast<unsigned>(cast<ShapedType>(shaped.getType()).getRank()))
    return {};
  return ofParameters(map.getResult(dim), cast<FunctionOpInterface>(parent));
}

AffineExpr FormBuilder::ofParameters(AffineExpr size, FunctionOpInterface function) {
  SmallVector<AffineExpr> sizes;
  AffineExpr unused = getAffineConstantExpr(0, context);
  for (auto [number, parameter] : llvm::enumerate(sizeArguments(function)))
    sizes.push_back(size.isFunctionOfSymbol(number) ? of(OpFoldResult(parameter)) : unused);
  return size.replaceSymbols(sizes);
}

/// Of an operation that says it in an attribute.
AffineExpr FormBuilder::ofAttribute(OpResult shaped, int64_t dim) {
  auto shapes = shaped.getOwner()->getAttrOfType<ArrayAttr>(shapeAttrName);
  auto function = shaped.getOwner()->getParentOfType<FunctionOpInterface>();
  if (!shapes || !function)
    return {};
  AffineMap map = cast<AffineMapAttr>(shapes[shaped.getResultNumber()]).getValue();
  return ofParameters(map.getResult(dim), function);
}

AffineExpr FormBuilder::ofSlice(OffsetSizeAndStrideOpInterface slice,
                                const llvm::SmallBitVector &dropped, int64_t dim) {
  for (auto [number, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(number) && dim-- == 0)
      return of(size);
  return {};
}

AffineExpr FormBuilder::ofCollapsed(Value source, ArrayRef<int64_t> dims) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (int64_t dim : dims) {
    AffineExpr size = of(source, dim);
    if (!size)
      return {};
    product = product * size;
  }
  return product;
}

AffineExpr FormBuilder::ofPadded(tensor::PadOp pad, int64_t dim) {
  AffineExpr size = of(pad.getSource(), dim);
  return size ? size + of(pad.getMixedLowPad()[dim]) + of(pad.getMixedHighPad()[dim])
              : AffineExpr();
}

AffineExpr FormBuilder::ofConcatenated(tensor::ConcatOp concat, int64_t dim) {
  if (static_cast<uint64_t>(dim) != concat.getDim())
    return of(concat.getInputs().front(), dim);
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (Value input : concat.getInputs()) {
    AffineExpr size = of(input, dim);
    if (!size)
      return {};
    sum = sum + size;
  }
  return sum;
}

/// Of an element of a tensor that holds a shape.
AffineExpr FormBuilder::ofElement(Value shape, int64_t dim) {
  auto elements = shape.getDefiningOp<tensor::FromElementsOp>();
  if (!elements)
    return {};
  Value size = elements.getElements()[dim];
  if (auto cast = size.getDefiningOp<arith::IndexCastOp>())
    size = cast.getIn();
  return size.getType().isIndex() ? of(OpFoldResult(size)) : AffineExpr();
}

AffineExpr FormBuilder::ofResult(OpResult shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  auto dynamicSize = [&](ValueRange sizes) {
    return of(OpFoldResult(sizes[type.getDynamicDimIndex(dim)]));
  };
  return TypeSwitch<Operation *, AffineExpr>(shaped.getOwner())
      .Case<tensor::EmptyOp, memref::AllocOp, memref::AllocaOp, bufferization::AllocTensorOp>(
          [&](auto op) { return dynamicSize(op.getDynamicSizes()); })
      .Case([&](memref::ViewOp op) { return dynamicSize(op.getSizes()); })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
          [&](auto op) { return ofSlice(op, op.getDroppedDims(), dim); })
      .Case([&](memref::ReinterpretCastOp op) { return of(op.getConstifiedMixedSizes()[dim]); })
      .Case<tensor::CastOp, memref::CastOp>([&](auto op) { return of(op.getSource(), dim); })
      .Case<bufferization::ToTensorOp>([&](auto op) { return of(op.getBuffer(), dim); })
      .Case<bufferization::ToBufferOp>([&](auto op) { return of(op.getTensor(), dim); })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>([&](auto op) {
        return of(getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), context)[dim]);
      })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>(
          [&](auto op) { return ofCollapsed(op.getSrc(), op.getReassociationIndices()[dim]); })
      .Case([&](tensor::PadOp op) { return ofPadded(op, dim); })
      .Case([&](tensor::ConcatOp op) { return ofConcatenated(op, dim); })
      .Case([&](tensor::GenerateOp op) { return dynamicSize(op.getDynamicExtents()); })
      .Case([&](tensor::SplatOp op) { return dynamicSize(op.getDynamicSizes()); })
      .Case([&](tensor::BitcastOp op) { return of(op.getSource(), dim); })
      .Case<MatmulNbitsOp, QuantizeRowsOp>([&](auto op) { return of(op.getA(), dim); })
      .Case([&](tensor::ReshapeOp op) { return ofElement(op.getShape(), dim); })
      .Case([&](LoopLikeOpInterface op) {
        if (op.getInits().size() != op->getNumResults())
          return AffineExpr();
        return of(op.getInits()[shaped.getResultNumber()], dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return of(op.getTiedOpOperand(shaped)->get(), dim);
      })
      .Default([&](Operation *) { return ofAttribute(shaped, dim); });
}

} // namespace

std::optional<SizeForm> sizeFormOf(Value shaped, int64_t dim) {
  FormBuilder builder(shaped.getContext());
  AffineExpr expression = builder.of(shaped, dim);
  if (!expression)
    return std::nullopt;
  return SizeForm{expression, std::move(builder.symbols)};
}

OpFoldResult sizeOf(OpBuilder &b, Location loc, Value shaped, int64_t dim) {
  std::optional<SizeForm> form = sizeFormOf(shaped, dim);
  if (form) {
    auto map = AffineMap::get(0, form->symbols.size(), form->expression);
    return affine::makeComposedFoldedAffineApply(b, loc, map, getAsOpFoldResult(form->symbols));
  }
  if (isa<TensorType>(shaped.getType()))
    return b.createOrFold<tensor::DimOp>(loc, shaped, dim);
  return b.createOrFold<memref::DimOp>(loc, shaped, dim);
}

SmallVector<OpFoldResult> sizesOf(OpBuilder &b, Location loc, Value shaped) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0, rank = cast<ShapedType>(shaped.getType()).getRank(); dim < rank; ++dim)
    sizes.push_back(sizeOf(b, loc, shaped, dim));
  return sizes;
}

} // namespace kgen
