// Tiling of tile operations by their iteration space: a tile is the same operation on slices.
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/TilingInterface.h>

using namespace mlir;

namespace kgen::tpp {
namespace {

using Folds = SmallVector<OpFoldResult>;

FailureOr<TilingResult> tileOf(TileOpInterface op, OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> whole = op.getIterationSizes();
  for (unsigned dimension = 0; dimension < whole.size(); ++dimension)
    if (getConstantIntValue(sizes[dimension]) != whole[dimension] && !op.canTile(dimension))
      return op->emitOpError() << "cannot be tiled along dimension " << dimension;
  TilingResult result;
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    Folds sliceOffsets, sliceSizes;
    if (failed(op.getOperandSlice(b, operand.getOperandNumber(), offsets, sizes, sliceOffsets,
                                  sliceSizes)))
      return op->emitOpError() << "cannot slice operand " << operand.getOperandNumber() << " there";
    Folds strides(sliceOffsets.size(), b.getIndexAttr(1));
    auto slice = tensor::ExtractSliceOp::create(b, op.getLoc(), operand.get(), sliceOffsets,
                                                sliceSizes, strides);
    operands.push_back(slice);
    result.generatedSlices.push_back(slice);
  }
  auto destination = cast<DestinationStyleOpInterface>(op.getOperation());
  SmallVector<Type> types;
  for (OpOperand &init : destination.getDpsInitsMutable())
    types.push_back(operands[init.getOperandNumber()].getType());
  Operation *tile = clone(b, op, types, operands);
  result.tiledOps.push_back(tile);
  llvm::append_range(result.tiledValues, tile->getResults());
  return result;
}

/// The sizes of the iteration space; dynamic ones are those of an operand.
Folds sizesOfSpace(TileOpInterface op, OpBuilder &b) {
  Folds sizes;
  for (auto [dimension, size] : llvm::enumerate(op.getIterationSizes())) {
    sizes.push_back(b.getIndexAttr(size));
    if (!ShapedType::isDynamic(size))
      continue;
    AffineExpr index = b.getAffineDimExpr(dimension);
    for (OpOperand &operand : llvm::reverse(op->getOpOperands()))
      if (auto position = op.getOperandMap(operand.getOperandNumber()).getResultPosition(index)) {
        sizes.back() = tensor::getMixedSize(b, op.getLoc(), operand.get(), *position);
        break;
      }
  }
  return sizes;
}

template <typename Op> struct TilingModel : TilingInterface::ExternalModel<TilingModel<Op>, Op> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    return cast<Op>(op).getIterationTypes();
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    SmallVector<Range> domain;
    for (OpFoldResult size : sizesOfSpace(cast<TileOpInterface>(op), b))
      domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult> getTiledImplementation(Operation *op, OpBuilder &b,
                                                 ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) const {
    return tileOf(cast<TileOpInterface>(op), b, offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b, unsigned number,
                                      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                      SmallVector<OpFoldResult> &resultOffsets,
                                      SmallVector<OpFoldResult> &resultSizes) const {
    auto destination = cast<DestinationStyleOpInterface>(op);
    unsigned operand = destination.getDpsInitOperand(number)->getOperandNumber();
    return cast<Op>(op).getOperandSlice(b, operand, offsets, sizes, resultOffsets, resultSizes);
  }

  /// The tile of the space that writes a tile of the result; the space of the result is that of the
  /// parallel dimensions.
  LogicalResult
  getIterationDomainTileFromResultTile(Operation *op, OpBuilder &b, unsigned number,
                                       ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                       SmallVectorImpl<OpFoldResult> &spaceOffsets,
                                       SmallVectorImpl<OpFoldResult> &spaceSizes) const {
    auto tile = cast<TileOpInterface>(op);
    auto destination = cast<DestinationStyleOpInterface>(op);
    unsigned operand = destination.getDpsInitOperand(number)->getOperandNumber();
    llvm::append_range(spaceSizes, sizesOfSpace(tile, b));
    spaceOffsets.append(spaceSizes.size(), b.getIndexAttr(0));
    AffineMap map = tile.getOperandMap(operand);
    for (auto [position, result] : llvm::enumerate(map.getResults())) {
      unsigned dimension = cast<AffineDimExpr>(result).getPosition();
      spaceOffsets[dimension] = offsets[position];
      spaceSizes[dimension] = sizes[position];
    }
    return success();
  }

  FailureOr<TilingResult> generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                                                  ArrayRef<OpFoldResult> offsets,
                                                  ArrayRef<OpFoldResult> sizes) const {
    Folds spaceOffsets, spaceSizes;
    if (failed(getIterationDomainTileFromResultTile(op, b, number, offsets, sizes, spaceOffsets,
                                                    spaceSizes)))
      return failure();
    return getTiledImplementation(op, b, spaceOffsets, spaceSizes);
  }
};

} // namespace

void registerTilingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TppDialect *) {
    GemmOp::attachInterface<TilingModel<GemmOp>>(*context);
    BrgemmOp::attachInterface<TilingModel<BrgemmOp>>(*context);
    ReduceOp::attachInterface<TilingModel<ReduceOp>>(*context);
    TransposeOp::attachInterface<TilingModel<TransposeOp>>(*context);
    VnniPackOp::attachInterface<TilingModel<VnniPackOp>>(*context);
#define ELEMENTWISE(Op) Op::attachInterface<TilingModel<Op>>(*context);
#include "dialect/tpp/ElementwiseOps.def"
    context->loadDialect<tensor::TensorDialect>();
  });
}

} // namespace kgen::tpp
