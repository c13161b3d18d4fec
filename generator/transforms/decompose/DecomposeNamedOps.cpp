// Makes loops of operators by name: the only place where their code is chosen.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/decompose/NamedOpLoops.h"
#include "transforms/decompose/Passes.h"

#include <llvm/ADT/TypeSwitch.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DECOMPOSENAMEDOPSPASS
#include "transforms/decompose/Passes.h.inc"

namespace {

DecomposedOp decompose(OpBuilder &b, Operation *op) {
  return TypeSwitch<Operation *, DecomposedOp>(op)
      .Case([&](SoftmaxOp named) { return buildSoftmax(b, named); })
      .Case([&](LogSumExpOp named) { return buildLogSumExp(b, named); })
      .Case([&](ArgExtremumOp named) { return buildArgExtremum(b, named); })
      .Case([&](CumulativeSumOp named) { return buildCumulativeSum(b, named); })
      .Case([&](TopKOp named) { return buildTopK(b, named); })
      .Case([&](RotaryEmbeddingOp named) { return buildRotaryEmbedding(b, named); })
      .Case([&](QuantizedProductOp named) { return buildQuantizedProduct(b, named); })
      .Case([&](GridSampleOp named) { return buildGridSample(b, named); })
      .Case([&](NormalizationOp named) { return buildNormalization(b, named); });
}

struct DecomposeNamedOpsPass : impl::DecomposeNamedOpsPassBase<DecomposeNamedOpsPass> {
  using DecomposeNamedOpsPassBase::DecomposeNamedOpsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> named;
    getOperation().walk([&](Operation *op) {
      if (isNamedOp(op) && (!productsOnly || isa<QuantizedProductOp>(op)))
        named.push_back(op);
    });
    if (named.empty())
      return markAllAnalysesPreserved();
    DecisionLog log(getOperation(), getArgument());
    for (Operation *op : named) {
      OpBuilder b(op);
      if (byDefinition) {
        FailureOr<SmallVector<Value>> made =
            cast<linalg::AggregatedOpInterface>(op).decomposeOperation(b);
        op->replaceAllUsesWith(*made);
      } else {
        DecomposedOp made = decompose(b, op);
        made.results.front().getDefiningOp()->setAttr(formAttrName, b.getStringAttr(made.form));
        log.add("applied", op->getLoc(), log.details().set("what", StringRef(made.form)));
        op->replaceAllUsesWith(made.results);
      }
      op->erase();
      ++numDecomposed;
    }
  }
};

} // namespace
} // namespace kgen
