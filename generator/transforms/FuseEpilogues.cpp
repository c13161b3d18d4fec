// Elementwise consumers become part of the contraction: the tile is still in registers when they
// run.
#include "dialect/kgen/Decisions.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "transforms/Passes.h.inc"

namespace {

/// Rows, columns, scalars and full tiles can be read along with the result: the last dimension, if
/// indexed, is last.
bool isEpilogueMap(AffineMap map) {
  if (!map.isProjectedPermutation())
    return false;
  unsigned n = map.getNumDims() - 1;
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (cast<AffineDimExpr>(result).getPosition() == n && position + 1 != map.getNumResults())
      return false;
  return true;
}

/// Whether every other operand has C's element type, and the gemm's result is never also read at
/// another element than the one that is computed.
bool readsOnlyLikeC(linalg::GenericOp op, tpp::GemmOp gemm) {
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    if (input->get().getDefiningOp() == gemm)
      return op.getMatchingIndexingMap(input).isIdentity();
    return getElementTypeOrSelf(input->get().getType()) == gemm.getElementType();
  });
}

/// The gemm whose result `op` can take over, or null.
tpp::GemmOp fusibleProducer(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return {};
  OpOperand *out = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(out).isIdentity() || op.payloadUsesValueFromOperand(out) ||
      op.hasIndexSemantics())
    return {};
  bool elementwise = llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return OpTrait::hasElementwiseMappableTraits(&inner) || inner.hasTrait<OpTrait::ConstantLike>();
  });
  if (!elementwise)
    return {};
  tpp::GemmOp gemm;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto producer = input->get().getDefiningOp<tpp::GemmOp>();
    bool usable = producer && map.isIdentity() && (!gemm || gemm == producer) &&
                  llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == op; });
    if (usable)
      gemm = producer;
    else if (!isEpilogueMap(map))
      return {};
  }
  // A value of another type than the accumulator's cannot be stored in C.
  if (!gemm || !readsOnlyLikeC(op, gemm) ||
      getElementTypeOrSelf(op.getResult(0).getType()) != gemm.getElementType() ||
      op.getResult(0).getType() != gemm.getResults()[0].getType())
    return {};
  return gemm;
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

void fuse(linalg::GenericOp op, tpp::GemmOp gemm) {
  IRRewriter rewriter(op);
  SmallVector<Value> extras(gemm.getExtras());
  SmallVector<AffineMap> maps(gemm.getExtraMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<OpOperand *> added;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() != gemm.getResults()[0]) {
      extras.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      added.push_back(input);
    }
  auto fused = tpp::GemmOp::create(
      rewriter, rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()}), gemm->getResultTypes(),
      gemm.getA(), gemm.getB(), extras, gemm.getInit(), gemm.getAMap(), gemm.getBMap(),
      rewriter.getAffineMapArrayAttr(maps), gemm.getPanelAttr(), gemm.getAccumulate());
  rewriter.inlineRegionBefore(gemm.getEpilogue(), fused.getEpilogue(), fused.getEpilogue().end());
  Block &body = fused.getEpilogue().front();
  auto yield = cast<tpp::YieldOp>(body.getTerminator());
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == gemm.getResults()[0])
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
  Value result = mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
  rewriter.replaceOpWithNewOp<tpp::YieldOp>(yield, result);
  rewriter.replaceOp(op, fused.getResults());
  rewriter.eraseOp(gemm);
}

struct FuseEpiloguesPass : impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    DecisionLog log(getOperation(), getArgument());
    for (linalg::GenericOp op : generics) {
      tpp::GemmOp gemm = fusibleProducer(op);
      if (!gemm || gemm->getBlock() != op->getBlock() || !isSelfContained(op))
        continue;
      log.add("epilogue", op.getLoc(), log.details().setNames("into", gemm.getLoc()));
      fuse(op, gemm);
    }
  }
};

} // namespace
} // namespace kgen
