// Calls of C functions by a fixed ABI: the executor's, and those from outside of the library.
#include "transforms/parallel/LowerRuntimeCalls.h"

#include "dialect/kgen/IndexBits.h"
#include "transforms/parallel/Passes.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERRUNTIMECALLSPASS
#include "transforms/parallel/Passes.h.inc"

namespace {

struct LowerRuntimeCallsPass : impl::LowerRuntimeCallsPassBase<LowerRuntimeCallsPass> {
  void runOnOperation() override {
    FailureOr<int64_t> launches = lowerTaskLaunches(getOperation());
    if (failed(launches))
      return signalPassFailure();
    numLaunches += *launches;
    FailureOr<int64_t> calls = lowerExternCalls(getOperation());
    if (failed(calls))
      return signalPassFailure();
    numCalls += *calls;
    numWidened += widenVectorArguments(getOperation());
  }
};

} // namespace

LowerToLLVMOptions runtimeCallOptions(ModuleOp module) {
  LowerToLLVMOptions options(module.getContext());
  options.overrideIndexBitwidth(indexBits(module));
  return options;
}

} // namespace kgen
