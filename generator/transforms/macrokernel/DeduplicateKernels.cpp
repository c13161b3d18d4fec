// Merges equal micro-kernels, and drops those without a call.
#include "dialect/kgen/DecisionLog.h"
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
    DecisionLog log(getOperation(), getArgument());
    llvm::StringSet<> used;
    getOperation().walk([&](ukernel::CallOp call) {
      ukernel::KernelOpInterface kernel = call.getKernel();
      if (FlatSymbolRefAttr first = kernel ? kernels.find(kernel) : call.getCalleeAttr();
          first != call.getCalleeAttr()) {
        log.add("applied", call.getLoc(),
                log.details().set("what", "calls " + first.getValue().str() + ", which equals " +
                                              call.getCallee().str()));
        call.setCalleeAttr(first);
      }
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
