// Elementwise generics as epilogues of contractions.
#include "transforms/fusion/TppGenerics.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {

using tpp::ContractionOpInterface;

namespace {

/// Whether `op` computes one result element by element, without reading what its result replaces.
bool isPureElementwise(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand *out = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(out).isIdentity() && !op.payloadUsesValueFromOperand(out) &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return OpTrait::hasElementwiseMappableTraits(&inner) ||
                  inner.hasTrait<OpTrait::ConstantLike>();
         });
}

/// The contraction whose result `op` can take over, or null: `op` is its only user, and reads the
/// result at the element that it computes and nowhere else.
ContractionOpInterface fusibleProducer(linalg::GenericOp op) {
  if (!isPureElementwise(op))
    return {};
  ContractionOpInterface found;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<ContractionOpInterface>();
    if (producer && (!found || found == producer) &&
        op.getMatchingIndexingMap(input).isIdentity() &&
        llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == op; }))
      found = producer;
  }
  // Sums of another type than C's cannot be added to C.
  Type result = op.getResult(0).getType();
  if (!found || cast<ShapedType>(result).getRank() != found.getCType().getRank() ||
      (found.getAccumulate() && result != found.getCType()))
    return {};
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool fits = input->get().getDefiningOp() == found
                    ? map.isIdentity()
                    : found.acceptsEpilogueOperand(map, getElementTypeOrSelf(input->get()));
    if (!fits)
      return {};
  }
  return found;
}

/// Constants used from outside are copied into the region; anything else from outside prevents the
/// fusion.
bool isSelfContained(linalg::GenericOp op) {
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  return llvm::all_of(outside, [](Value v) {
    return v.getDefiningOp() && v.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
  });
}

/// The destination of the fused operation: `gemm`'s own, or a new one if the result is of another
/// type.
Value destination(IRRewriter &rewriter, linalg::GenericOp op, ContractionOpInterface gemm) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (type == gemm.getCType())
    return gemm.getInit();
  return tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(), type.getElementType());
}

/// Appends `op`'s body to the epilogue of `fused`, whose argument for each of `added` is new.
void appendBody(IRRewriter &rewriter, linalg::GenericOp op, ContractionOpInterface fused,
                Value result, ArrayRef<OpOperand *> added) {
  Block &body = fused.getEpilogue().front();
  auto yield = cast<tpp::YieldOp>(body.getTerminator());
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == result)
      mapping.map(op.getMatchingBlockArgument(input), yield.getValue());
  for (OpOperand *input : added)
    mapping.map(op.getMatchingBlockArgument(input),
                body.addArgument(getElementTypeOrSelf(input->get().getType()), op.getLoc()));
  rewriter.setInsertionPoint(yield);
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  for (Value constant : outside)
    mapping.map(constant, rewriter.clone(*constant.getDefiningOp())->getResult(0));
  for (Operation &inner : op.getBody()->without_terminator())
    rewriter.clone(inner, mapping);
  Value value = mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
  rewriter.replaceOpWithNewOp<tpp::YieldOp>(yield, value);
}

} // namespace

ContractionOpInterface fusibleContraction(linalg::GenericOp op) {
  ContractionOpInterface gemm = fusibleProducer(op);
  if (!gemm || gemm->getBlock() != op->getBlock() || !isSelfContained(op))
    return {};
  return gemm;
}

ContractionOpInterface fuseIntoEpilogue(linalg::GenericOp op, ContractionOpInterface gemm) {
  IRRewriter rewriter(op);
  Value result = gemm->getResult(0);
  SmallVector<Value> extras(gemm.getEpilogueIns());
  SmallVector<AffineMap> maps(gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<OpOperand *> added;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() != result) {
      extras.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      added.push_back(input);
    }
  auto fused =
      tpp::cloneWithoutEpilogue(rewriter, gemm, rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()}),
                                extras, maps, destination(rewriter, op, gemm));
  rewriter.inlineRegionBefore(gemm.getEpilogue(), fused.getEpilogue(), fused.getEpilogue().end());
  appendBody(rewriter, op, fused, result, added);
  rewriter.replaceOp(op, fused->getResults());
  rewriter.eraseOp(gemm);
  return fused;
}

} // namespace kgen
