// Merges equal micro-kernels, and drops those without a call.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/macrokernel/KernelTable.h"
#include "transforms/macrokernel/Passes.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_DEDUPLICATEUKERNELSPASS
#include "transforms/macrokernel/Passes.h.inc"

namespace {

struct DeduplicateUkernelsPass : impl::DeduplicateUkernelsPassBase<DeduplicateUkernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    DecisionLog log(module, getArgument());
    KernelTable kernels(module);
    llvm::StringSet<> used;
    module.walk([&](ukernel::CallOp call) {
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
    for (auto kernel : llvm::make_early_inc_range(module.getOps<ukernel::KernelOpInterface>()))
      if (!used.contains(SymbolTable::getSymbolName(kernel).getValue())) {
        kernel->erase();
        ++numErased;
      }
  }
};

} // namespace
} // namespace kgen
