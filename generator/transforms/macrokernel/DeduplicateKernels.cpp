// Merges equal micro-kernels, and drops those without a call.
#include "transforms/Passes.h"
#include "transforms/macrokernel/KernelTable.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DEDUPLICATEKERNELSPASS
#include "transforms/Passes.h.inc"

namespace {

struct DeduplicateKernelsPass : impl::DeduplicateKernelsPassBase<DeduplicateKernelsPass> {
  void runOnOperation() override {
    KernelTable kernels(getOperation());
    llvm::StringSet<> used;
    getOperation().walk([&](ukernel::CallOp call) {
      if (ukernel::KernelOpInterface kernel = call.getKernel())
        call.setCalleeAttr(kernels.find(kernel));
      used.insert(call.getCallee());
    });
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<ukernel::KernelOpInterface>()))
      if (!used.contains(SymbolTable::getSymbolName(kernel).getValue())) {
        kernel->erase();
        ++numErased;
      }
  }
};

} // namespace
} // namespace kgen
