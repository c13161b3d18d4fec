#include "dialect/kgen/SizeForm.h"

#include "dialect/kgen/NamedOps.h"
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
  AffineExpr formOf(Value shaped, int64_t dim);
  AffineExpr formOf(OpFoldResult size);

  SmallVector<Value> symbols;

private:
  AffineExpr argumentForm(BlockArgument shaped, int64_t dim);
  AffineExpr resultForm(OpResult shaped, int64_t dim);
  AffineExpr attributeForm(OpResult shaped, int64_t dim);
  /// A function of the function's index arguments; those that it does not use are no symbols.
  AffineExpr parameterForm(AffineExpr size, FunctionOpInterface function);
  AffineExpr sliceForm(OffsetSizeAndStrideOpInterface slice, const llvm::SmallBitVector &dropped,
                       int64_t dim);
  AffineExpr collapsedForm(Value source, ArrayRef<int64_t> dims);
  AffineExpr paddedForm(tensor::PadOp pad, int64_t dim);
  AffineExpr concatenatedForm(tensor::ConcatOp concat, int64_t dim);
  AffineExpr elementForm(Value shape, int64_t dim);
  /// Of a dimension of a result that lacks those that `op` is along.
  template <typename Op> AffineExpr remainingForm(Op op, int64_t dim);

  MLIRContext *context;
};

AffineExpr FormBuilder::formOf(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return getAffineConstantExpr(*number, context);
  auto value = cast<Value>(size);
  auto *found = llvm::find(symbols, value);
  unsigned position = found - symbols.begin();
  if (found == symbols.end())
    symbols.push_back(value);
  return getAffineSymbolExpr(position, context);
}

AffineExpr FormBuilder::formOf(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return getAffineConstantExpr(type.getDimSize(dim), context);
  auto result = dyn_cast<OpResult>(shaped);
  return result ? resultForm(result, dim) : argumentForm(cast<BlockArgument>(shaped), dim);
}

/// An argument of a function, or a value that a loop carries, which keeps its sizes.
AffineExpr FormBuilder::argumentForm(BlockArgument shaped, int64_t dim) {
  Operation *parent = shaped.getOwner()->getParentOp();
  if (auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent)) {
    OpOperand *init = loop.getTiedLoopInit(shaped);
    return init ? formOf(init->get(), dim) : AffineExpr();
  }
  AffineMap map = shapeMapOf(shaped);
  if (!map ||
      map.getNumResults() != static_cast<unsigned>(cast<ShapedType>(shaped.getType()).getRank()))
    return {};
  return parameterForm(map.getResult(dim), cast<FunctionOpInterface>(parent));
}

AffineExpr FormBuilder::parameterForm(AffineExpr size, FunctionOpInterface function) {
  SmallVector<AffineExpr> sizes;
  AffineExpr unused = getAffineConstantExpr(0, context);
  for (auto [number, parameter] : llvm::enumerate(sizeArguments(function)))
    sizes.push_back(size.isFunctionOfSymbol(number) ? formOf(OpFoldResult(parameter)) : unused);
  return size.replaceSymbols(sizes);
}

/// Of an operation that says it in an attribute.
AffineExpr FormBuilder::attributeForm(OpResult shaped, int64_t dim) {
  auto shapes = shaped.getOwner()->getAttrOfType<ArrayAttr>(shapeAttrName);
  auto function = shaped.getOwner()->getParentOfType<FunctionOpInterface>();
  if (!shapes || !function)
    return {};
  AffineMap map = cast<AffineMapAttr>(shapes[shaped.getResultNumber()]).getValue();
  return parameterForm(map.getResult(dim), function);
}

AffineExpr FormBuilder::sliceForm(OffsetSizeAndStrideOpInterface slice,
                                  const llvm::SmallBitVector &dropped, int64_t dim) {
  for (auto [number, size] : llvm::enumerate(slice.getMixedSizes()))
    if (!dropped.test(number) && dim-- == 0)
      return formOf(size);
  return {};
}

AffineExpr FormBuilder::collapsedForm(Value source, ArrayRef<int64_t> dims) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (int64_t dim : dims) {
    AffineExpr size = formOf(source, dim);
    if (!size)
      return {};
    product = product * size;
  }
  return product;
}

AffineExpr FormBuilder::paddedForm(tensor::PadOp pad, int64_t dim) {
  AffineExpr size = formOf(pad.getSource(), dim);
  return size ? size + formOf(pad.getMixedLowPad()[dim]) + formOf(pad.getMixedHighPad()[dim])
              : AffineExpr();
}

AffineExpr FormBuilder::concatenatedForm(tensor::ConcatOp concat, int64_t dim) {
  if (static_cast<uint64_t>(dim) != concat.getDim())
    return formOf(concat.getInputs().front(), dim);
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (Value input : concat.getInputs()) {
    AffineExpr size = formOf(input, dim);
    if (!size)
      return {};
    sum = sum + size;
  }
  return sum;
}

/// Of an element of a tensor that holds a shape.
AffineExpr FormBuilder::elementForm(Value shape, int64_t dim) {
  auto elements = shape.getDefiningOp<tensor::FromElementsOp>();
  if (!elements)
    return {};
  Value size = elements.getElements()[dim];
  if (auto cast = size.getDefiningOp<arith::IndexCastOp>())
    size = cast.getIn();
  return size.getType().isIndex() ? formOf(OpFoldResult(size)) : AffineExpr();
}

template <typename Op> AffineExpr FormBuilder::remainingForm(Op op, int64_t dim) {
  for (int64_t reduced : op.getDimensions())
    dim += reduced <= dim;
  return formOf(op.getInput(), dim);
}

AffineExpr FormBuilder::resultForm(OpResult shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  auto dynamicSize = [&](ValueRange sizes) {
    return formOf(OpFoldResult(sizes[type.getDynamicDimIndex(dim)]));
  };
  return TypeSwitch<Operation *, AffineExpr>(shaped.getOwner())
      .Case<tensor::EmptyOp, memref::AllocOp, memref::AllocaOp, bufferization::AllocTensorOp>(
          [&](auto op) { return dynamicSize(op.getDynamicSizes()); })
      .Case([&](memref::ViewOp op) { return dynamicSize(op.getSizes()); })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
          [&](auto op) { return sliceForm(op, op.getDroppedDims(), dim); })
      .Case([&](memref::ReinterpretCastOp op) { return formOf(op.getConstifiedMixedSizes()[dim]); })
      .Case<tensor::CastOp, memref::CastOp>([&](auto op) { return formOf(op.getSource(), dim); })
      .Case<bufferization::ToTensorOp>([&](auto op) { return formOf(op.getBuffer(), dim); })
      .Case<bufferization::ToBufferOp>([&](auto op) { return formOf(op.getTensor(), dim); })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>([&](auto op) {
        return formOf(getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), context)[dim]);
      })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>(
          [&](auto op) { return collapsedForm(op.getSrc(), op.getReassociationIndices()[dim]); })
      .Case([&](tensor::PadOp op) { return paddedForm(op, dim); })
      .Case([&](tensor::ConcatOp op) { return concatenatedForm(op, dim); })
      .Case([&](tensor::GenerateOp op) { return dynamicSize(op.getDynamicExtents()); })
      .Case([&](tensor::SplatOp op) { return dynamicSize(op.getDynamicSizes()); })
      .Case([&](tensor::BitcastOp op) { return formOf(op.getSource(), dim); })
      .Case<MatmulNbitsOp, QuantizeRowsOp>([&](auto op) { return formOf(op.getA(), dim); })
      .Case<SoftmaxOp, CumulativeSumOp, TopKOp, RotaryEmbeddingOp>(
          [&](auto op) { return formOf(op.getInput(), dim); })
      .Case([&](QuantizedProductOp op) { return formOf(op.getInit(), dim); })
      .Case([&](GridSampleOp op) {
        return dim < 2 ? formOf(op.getImage(), dim) : formOf(op.getGrid(), dim - 1);
      })
      .Case<LogSumExpOp, ArgExtremumOp>([&](auto op) { return remainingForm(op, dim); })
      .Case([&](NormalizationOp op) {
        return shaped == op.getResult() ? formOf(op.getInput(), dim) : remainingForm(op, dim);
      })
      .Case([&](tensor::ReshapeOp op) { return elementForm(op.getShape(), dim); })
      .Case([&](LoopLikeOpInterface op) {
        if (op.getInits().size() != op->getNumResults())
          return AffineExpr();
        return formOf(op.getInits()[shaped.getResultNumber()], dim);
      })
      .Case([&](DestinationStyleOpInterface op) {
        return formOf(op.getTiedOpOperand(shaped)->get(), dim);
      })
      .Default([&](Operation *) { return attributeForm(shaped, dim); });
}

} // namespace

std::optional<SizeForm> sizeFormOf(Value shaped, int64_t dim) {
  FormBuilder builder(shaped.getContext());
  AffineExpr expression = builder.formOf(shaped, dim);
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
