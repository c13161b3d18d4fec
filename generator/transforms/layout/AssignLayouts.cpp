// The layout of each operand of contractions: decided once, for one operand after the other, and
// materialized.
#include "dialect/kgen/AttentionProducts.h"
#include "dialect/tpp/Tpp.h"
#include "transforms/layout/OperandLayouts.h"
#include "transforms/layout/Passes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "transforms/layout/Passes.h.inc"

namespace {

struct AssignLayoutsPass : impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    TargetAttr target = requireTarget(func);
    if (!target)
      return signalPassFailure();
    DecisionLog log(func, getArgument());
    if (packB) {
      FailureOr<PanelCounts> counts = assignPanelsOfB(func, target, log);
      if (failed(counts))
        return signalPassFailure();
      numPackedAtBuild += counts->atBuild;
      numPackedAtRun += counts->atRun;
      numInPlace += counts->inPlace;
    }
    if (upconvertA) {
      LayoutCounts counts = assignTypeOfA(func, target, log);
      numUpconverted += counts.done;
      numNarrow += counts.refused;
    }
    if (padA) {
      LayoutCounts counts = assignPitchOfA(func, target, log);
      numPadded += counts.done;
      numUnpadded += counts.refused;
    }
    if (planProducts) {
      func.walk([&](tpp::ContractionOpInterface op) {
        tpp::setPlan(op, target);
        ++numPlanned;
      });
      func.walk([&](AttentionOp op) { numPlanned += planProductsOfPairs(op, target); });
    }
  }
};

} // namespace
} // namespace kgen
