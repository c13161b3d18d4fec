// A CPU has one memory: what schedules place in local memories is placed in the workspace.
#include "transforms/Passes.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_UNIFYMEMORIESPASS
#include "transforms/Passes.h.inc"

namespace {

struct UnifyMemoriesPass : impl::UnifyMemoriesPassBase<UnifyMemoriesPass> {
  void runOnOperation() override {
    getOperation()->walk([&](bufferization::AllocTensorOp alloc) {
      if (!alloc.getMemorySpaceAttr())
        return;
      alloc.removeMemorySpaceAttr();
      ++numUnified;
    });
  }
};

} // namespace
} // namespace kgen
