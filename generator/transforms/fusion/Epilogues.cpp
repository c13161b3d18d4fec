// Elementwise generics as epilogues of contractions.
#include "analysis/ContiguousRows.h"
#include "analysis/SizeBounds.h"
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/fusion/TppGenerics.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {

using tpp::ContractionOpInterface;

namespace {

/// True if `op` computes one result element by element and does not read its destination.
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

/// The first contraction whose result `op` reads by an identity map while nobody else reads it.
EpilogueMatch onlyReadContraction(linalg::GenericOp op) {
  EpilogueMatch match;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<ContractionOpInterface>();
    if (!producer || (match.gemm && match.gemm != producer))
      continue;
    if (!op.getMatchingIndexingMap(input).isIdentity())
      match.refusal = "it reads the contraction's result at other elements than it computes";
    else if (!llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == op; }))
      match.refusal = "the contraction's result is read elsewhere, too";
    else
      match.gemm = producer;
  }
  return match;
}

/// True if the region uses nothing from outside but constants, which are copied into the epilogue.
bool isSelfContained(linalg::GenericOp op) {
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  return llvm::all_of(outside, [](Value v) {
    return v.getDefiningOp() && v.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
  });
}

/// True if consecutive columns of the result read consecutive elements.
bool readsRows(AffineMap map) {
  return map.getNumResults() > 0 &&
         map.getResults().back() == getAffineDimExpr(map.getNumDims() - 1, map.getContext());
}

/// The reason why `op` cannot be the epilogue of `gemm`, whose result it reads; empty if it can.
StringRef refusalOf(linalg::GenericOp op, ContractionOpInterface gemm) {
  Type result = op.getResult(0).getType();
  if (cast<ShapedType>(result).getRank() != gemm.getCType().getRank())
    return "its result has another number of dimensions";
  if (gemm.getAccumulate() && result != gemm.getCType())
    return "its result has another type than the sums that it would be accumulated into";
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    bool isResult = input->get().getDefiningOp() == gemm;
    if (isResult && !map.isIdentity())
      return "it reads the contraction's result at other elements than it computes";
    if (!isResult && !gemm.acceptsEpilogueOperand(map, getElementTypeOrSelf(input->get())))
      return "an operand has an element type or indices that no epilogue reads";
    if (!isResult && readsRows(map) && !hasContiguousRows(input->get()))
      return "an operand is a slice whose rows are not contiguous";
  }
  if (gemm->getBlock() != op->getBlock())
    return "it is in another block than the contraction";
  if (!isSelfContained(op))
    return "its body uses values from outside that are no constants";
  return {};
}

/// The destination of the fused operation: that of `gemm`, or a new one if the type of the result
/// is another one.
Value destination(IRRewriter &rewriter, linalg::GenericOp op, ContractionOpInterface gemm) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  if (type == gemm.getCType())
    return gemm.getInit();
  return emptyLike(rewriter, op.getLoc(), op.getDpsInits()[0], type.getElementType());
}

/// Appends the body of `op` to the epilogue of `fused`, with a new argument for each of `added`.
/// `result` is the contraction's result, whose value is what the epilogue has yielded.
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

EpilogueMatch matchEpilogue(linalg::GenericOp op) {
  if (!isPureElementwise(op))
    return {};
  EpilogueMatch match = onlyReadContraction(op);
  if (!match.gemm)
    return match;
  match.refusal = refusalOf(op, match.gemm);
  if (!match.refusal.empty())
    match.gemm = {};
  return match;
}

ContractionOpInterface fusibleContraction(linalg::GenericOp op) { return matchEpilogue(op).gemm; }

ContractionOpInterface fuseIntoEpilogue(linalg::GenericOp op, ContractionOpInterface gemm) {
  IRRewriter rewriter(op);
  Value result = gemm->getResult(0);
  SmallVector<Value> operands(gemm.getEpilogueIns());
  SmallVector<AffineMap> maps(gemm.getEpilogueMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<OpOperand *> added;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() != result) {
      operands.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      added.push_back(input);
    }
  auto fused =
      tpp::cloneWithoutEpilogue(rewriter, gemm, rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()}),
                                operands, maps, destination(rewriter, op, gemm));
  rewriter.inlineRegionBefore(gemm.getEpilogue(), fused.getEpilogue(), fused.getEpilogue().end());
  appendBody(rewriter, op, fused, result, added);
  rewriter.replaceOp(op, fused->getResults());
  rewriter.eraseOp(gemm);
  return fused;
}

} // namespace kgen
