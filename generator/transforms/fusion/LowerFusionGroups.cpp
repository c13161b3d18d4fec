// Each group becomes one operation: a contraction with an epilogue, or one linalg.generic.
#include "transforms/Passes.h"
#include "transforms/fusion/TppGenerics.h"

#include <mlir/Dialect/Linalg/Transforms/Transforms.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERFUSIONGROUPSPASS
#include "transforms/Passes.h.inc"

namespace {

/// Puts the operations of the group in its place; what is elementwise becomes generics.
SmallVector<linalg::GenericOp> dissolve(IRRewriter &b, tpp::GroupOp group) {
  SmallVector<linalg::GenericOp> generics;
  Block &body = group.getBody().front();
  for (Operation &inner : llvm::make_early_inc_range(body.without_terminator())) {
    auto elementwise = dyn_cast<tpp::ElementwiseOpInterface>(inner);
    if (!elementwise)
      continue;
    b.setInsertionPoint(&inner);
    generics.push_back(createGeneric(b, elementwise));
    b.replaceOp(&inner, generics.back()->getResults());
  }
  Operation *yield = body.getTerminator();
  Value result = yield->getOperand(0);
  b.inlineBlockBefore(&body, group, group.getOperands());
  b.replaceOp(group, result);
  b.eraseOp(yield);
  return generics;
}

/// Merges elementwise producers into `consumer` as long as there are any; `all` knows which belong
/// to the group.
linalg::GenericOp mergeProducers(IRRewriter &b, linalg::GenericOp consumer,
                                 SmallVectorImpl<linalg::GenericOp> &all) {
  for (OpOperand *input : consumer.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || !llvm::is_contained(all, producer) || !linalg::areElementwiseOpsFusable(input))
      continue;
    b.setInsertionPoint(consumer);
    Location loc = b.getFusedLoc({producer.getLoc(), consumer.getLoc()});
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(b, input);
    if (failed(fused))
      continue;
    auto merged = cast<linalg::GenericOp>(fused->fusedOp);
    merged->setLoc(loc);
    for (auto [from, to] : fused->replacements)
      b.replaceUsesWithIf(from, to, [&](OpOperand &use) { return use.getOwner() != producer; });
    llvm::replace(all, consumer, merged);
    b.eraseOp(consumer);
    if (producer->use_empty()) {
      llvm::erase(all, producer);
      b.eraseOp(producer);
    }
    return mergeProducers(b, merged, all);
  }
  return consumer;
}

struct LowerFusionGroupsPass : impl::LowerFusionGroupsPassBase<LowerFusionGroupsPass> {
  void runOnOperation() override {
    SmallVector<tpp::GroupOp> groups;
    getOperation().walk([&](tpp::GroupOp group) { groups.push_back(group); });
    IRRewriter rewriter(&getContext());
    for (tpp::GroupOp group : groups)
      lower(rewriter, group);
  }

private:
  /// All elementwise operations first merge into the last one; if there is a contraction, and the
  /// last one can be its epilogue, that takes it over.
  static void lower(IRRewriter &b, tpp::GroupOp group) {
    Location loc = group.getLoc();
    bool hasContraction = !group.getBody().front().getOps<tpp::ContractionOpInterface>().empty();
    SmallVector<linalg::GenericOp> generics = dissolve(b, group);
    if (generics.empty())
      return;
    linalg::GenericOp last = mergeProducers(b, generics.back(), generics);
    tpp::ContractionOpInterface gemm = fusibleContraction(last);
    if (gemm)
      fuseIntoEpilogue(last, gemm);
    else if (hasContraction)
      emitRemark(loc) << "group is split: what follows the contraction cannot be its epilogue";
  }
};

} // namespace
} // namespace kgen
