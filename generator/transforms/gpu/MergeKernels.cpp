// Equal kernels of different steps become one.
#include "transforms/gpu/Passes.h"

#include <mlir/IR/OperationSupport.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

bool areEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a.getKnownBlockSizeAttr() == b.getKnownBlockSizeAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

struct MergeKernelsPass : impl::MergeKernelsPassBase<MergeKernelsPass> {
  using MergeKernelsPassBase::MergeKernelsPassBase;

  void runOnOperation() override {
    llvm::DenseMap<StringAttr, StringAttr> renamed;
    getOperation().walk([&](gpu::GPUModuleOp kernels) {
      llvm::MapVector<uint64_t, SmallVector<gpu::GPUFuncOp>> known; // by a hash of what they do
      for (auto kernel : llvm::make_early_inc_range(kernels.getOps<gpu::GPUFuncOp>())) {
        SmallVector<gpu::GPUFuncOp> &like = known[hashOf(kernel)];
        auto equal = llvm::find_if(like, [&](gpu::GPUFuncOp one) { return areEqual(one, kernel); });
        if (equal == like.end()) {
          like.push_back(kernel);
          continue;
        }
        renamed[kernel.getNameAttr()] = equal->getNameAttr();
        kernel.erase();
        ++numMerged;
      }
    });
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (StringAttr name = renamed.lookup(launch.getKernelName()))
        launch.setKernelAttr(
            SymbolRefAttr::get(launch.getKernelModuleName(), {FlatSymbolRefAttr::get(name)}));
    });
  }

private:
  static uint64_t hashOf(gpu::GPUFuncOp kernel) {
    llvm::hash_code hash = llvm::hash_value(kernel.getFunctionType().getAsOpaquePointer());
    kernel.walk([&](Operation *op) { hash = llvm::hash_combine(hash, op->getName()); });
    return hash;
  }
};

} // namespace
} // namespace kgen
