// Semantics of tpp.reduce, tpp.transpose and tpp.vnni_pack.
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/PatternMatch.h>

using namespace mlir;

namespace kgen::tpp {

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;
using utils::IteratorType;

/// The checks of operands that all three share.
template <typename Op> static LogicalResult verifyOperands(Op op) {
  ShapedType input = op.getInputType(), init = op.getInitType();
  if (!input.hasStaticShape() || !init.hasStaticShape() || !input.getElementType().isIntOrFloat())
    return op.emitOpError("needs static shapes of integers or floats");
  if (isa<TensorType>(input) != isa<TensorType>(init))
    return op.emitOpError("mixes tensors and memrefs");
  if (op->getNumResults() != (isa<TensorType>(init) ? 1u : 0u) ||
      (op->getNumResults() == 1 && op->getResult(0).getType() != init))
    return op.emitOpError("has a result of the destination's type if that is a tensor, and none if "
                          "it is a memref");
  if (isa<MemRefType>(init) && op.getInput() == op.getInit())
    return op.emitOpError("cannot work in place");
  return success();
}

static LogicalResult verifyShape(Operation *op, ShapedType init, ArrayRef<int64_t> expected) {
  if (init.getShape() == expected)
    return success();
  auto error = op->emitOpError("the destination must have the shape [");
  llvm::interleaveComma(expected, error);
  return error << "], found " << init;
}

//===-- reduce ------------------------------------------------------------------------------===//

SmallVector<int64_t> ReduceOp::getIterationSizes() {
  return SmallVector<int64_t>(getInputType().getShape());
}

SmallVector<IteratorType> ReduceOp::getIterationTypes() {
  SmallVector<IteratorType> types(getInputType().getRank(), IteratorType::parallel);
  for (int64_t dimension : getDimensions())
    types[dimension] = IteratorType::reduction;
  return types;
}

AffineMap ReduceOp::getOperandMap(unsigned number) {
  AffineMap identity = AffineMap::getMultiDimIdentityMap(getInputType().getRank(), getContext());
  return number == 0 ? identity : identity.dropResults(getDimensions());
}

int64_t ReduceOp::getFlops() { return getInputType().getNumElements(); }

Value ReduceOp::buildScalar(OpBuilder &builder, Location loc, ValueRange args) {
  switch (getKind()) {
  case ReduceKind::add:
    return scalar::add(builder, loc, args);
  case ReduceKind::max:
    return scalar::max(builder, loc, args);
  case ReduceKind::min:
    return scalar::min(builder, loc, args);
  case ReduceKind::mul:
    return scalar::mul(builder, loc, args);
  }
  llvm_unreachable("all kinds are handled");
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  ArrayRef<int64_t> dimensions = getDimensions();
  bool ascending = llvm::is_sorted(dimensions, std::less_equal<>());
  if (dimensions.empty() || !ascending || dimensions.front() < 0 ||
      dimensions.back() >= getInputType().getRank())
    return emitOpError("dimensions must be some of the input's, in ascending order");
  SmallVector<int64_t> kept;
  for (auto [position, size] : llvm::enumerate(getInputType().getShape()))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(position)))
      kept.push_back(size);
  Type from = getInputType().getElementType(), to = getInitType().getElementType();
  if (isa<FloatType>(from) != isa<FloatType>(to) ||
      from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth() ||
      (from != to && from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth()))
    return emitOpError() << "cannot combine " << from << " in " << to;
  return verifyShape(*this, getInitType(), kept);
}

void ReduceOp::getEffects(Effects &effects) { addTileEffects(*this, true, effects); }

//===-- transpose ---------------------------------------------------------------------------===//

SmallVector<int64_t> TransposeOp::getIterationSizes() {
  return SmallVector<int64_t>(getInitType().getShape());
}

SmallVector<IteratorType> TransposeOp::getIterationTypes() {
  return SmallVector<IteratorType>(getInitType().getRank(), IteratorType::parallel);
}

AffineMap TransposeOp::getOperandMap(unsigned number) {
  SmallVector<int64_t> order(getPermutation());
  if (number == 0) // the input: the inverse
    order = invertPermutationVector(order);
  else
    std::iota(order.begin(), order.end(), 0);
  return AffineMap::getPermutationMap(order, getContext());
}

int64_t TransposeOp::getFlops() { return 0; }

LogicalResult TransposeOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  ArrayRef<int64_t> permutation = getPermutation();
  if (static_cast<int64_t>(permutation.size()) != getInputType().getRank() ||
      !isPermutationVector(permutation))
    return emitOpError("permutation must have each dimension of the input once");
  if (getInputType().getElementType() != getInitType().getElementType())
    return emitOpError("does not convert elements");
  return verifyShape(*this, getInitType(),
                     applyPermutation(getInputType().getShape(), permutation));
}

void TransposeOp::getEffects(Effects &effects) { addTileEffects(*this, false, effects); }

namespace {
/// Two transposes are one, or none.
struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto first = op.getInput().getDefiningOp<TransposeOp>();
    if (!first || op->getNumResults() == 0)
      return rewriter.notifyMatchFailure(op, "no transpose of a transpose of tensors");
    SmallVector<int64_t> order = applyPermutation(first.getPermutation(), op.getPermutation());
    if (isIdentityPermutation(order))
      rewriter.replaceOp(op, first.getInput());
    else
      rewriter.replaceOpWithNewOp<TransposeOp>(op, op->getResultTypes(), first.getInput(),
                                               op.getInit(), order);
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ComposeTransposes>(context);
}

//===-- vnni_pack ---------------------------------------------------------------------------===//

SmallVector<int64_t> VnniPackOp::getIterationSizes() {
  return SmallVector<int64_t>(getInitType().getShape());
}

SmallVector<IteratorType> VnniPackOp::getIterationTypes() {
  return SmallVector<IteratorType>(3, IteratorType::parallel);
}

AffineMap VnniPackOp::getOperandMap(unsigned number) {
  AffineExpr i, j, l;
  bindDims(getContext(), i, j, l);
  if (number == 0)
    return AffineMap::get(3, 0, {i * static_cast<int64_t>(getFactor()) + l, j}, getContext());
  return AffineMap::getMultiDimIdentityMap(3, getContext());
}

int64_t VnniPackOp::getFlops() { return 0; }

bool VnniPackOp::canTile(unsigned dimension) {
  return dimension == 1 || (dimension == 0 && getInputType().getDimSize(0) % getFactor() == 0);
}

LogicalResult VnniPackOp::getOperandSlice(OpBuilder &builder, unsigned number,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes,
                                          SmallVectorImpl<OpFoldResult> &sliceOffsets,
                                          SmallVectorImpl<OpFoldResult> &sliceSizes) {
  if (number == 1) {
    llvm::append_range(sliceOffsets, offsets);
    llvm::append_range(sliceSizes, sizes);
    return success();
  }
  AffineExpr rows = builder.getAffineDimExpr(0) * static_cast<int64_t>(getFactor());
  auto times = [&](OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(builder, getLoc(), rows, {value});
  };
  // If dimension 0 is not tiled, the last group of rows may be incomplete.
  bool whole = getConstantIntValue(sizes[0]) == getInitType().getDimSize(0);
  sliceOffsets.append({times(offsets[0]), offsets[1]});
  sliceSizes.append(
      {whole ? builder.getIndexAttr(getInputType().getDimSize(0)) : times(sizes[0]), sizes[1]});
  return success();
}

LogicalResult VnniPackOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  int64_t factor = getFactor();
  if (factor < 1)
    return emitOpError("needs a positive factor");
  if (getInputType().getRank() != 2)
    return emitOpError("packs matrices, found ") << getInputType();
  if (getInputType().getElementType() != getInitType().getElementType())
    return emitOpError("does not convert elements");
  ArrayRef<int64_t> shape = getInputType().getShape();
  return verifyShape(*this, getInitType(),
                     {static_cast<int64_t>(llvm::divideCeil(shape[0], factor)), shape[1], factor});
}

void VnniPackOp::getEffects(Effects &effects) { addTileEffects(*this, false, effects); }

} // namespace kgen::tpp
