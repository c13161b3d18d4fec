// Folds the surroundings of calls of micro-kernels into these: fills, elementwise operations, and
// kernels that equal another one.
#include "transforms/macrokernel/FoldIntoUkernels.h"

#include "transforms/macrokernel/Passes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FOLDINTOUKERNELSPASS
#include "transforms/macrokernel/Passes.h.inc"

namespace {

struct FoldIntoUkernelsPass : impl::FoldIntoUkernelsPassBase<FoldIntoUkernelsPass> {
  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    // First, since a gemm that starts from zero may write elsewhere.
    UkernelFolds zeros = foldZeroInit(getOperation(), log);
    numFills += zeros.done;
    numAccumulating += zeros.refused;
    UkernelFolds maps = fuseUkernelEpilogues(getOperation(), log);
    numFused += maps.done;
    numRefused += maps.refused;
    FailureOr<int64_t> calls = verifyKernels(getOperation());
    if (failed(calls))
      return signalPassFailure();
    numCalls += *calls;
    numErased += deduplicateKernels(getOperation(), log);
  }
};

} // namespace
} // namespace kgen
