// Merges equal micro-kernels, and drops those without a call.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/macrokernel/FoldIntoUkernels.h"
#include "transforms/macrokernel/KernelTable.h"

using namespace mlir;

namespace kgen {

int64_t deduplicateKernels(ModuleOp module, DecisionLog &log) {
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
  int64_t erased = 0;
  for (auto kernel : llvm::make_early_inc_range(module.getOps<ukernel::KernelOpInterface>()))
    if (!used.contains(SymbolTable::getSymbolName(kernel).getValue())) {
      kernel->erase();
      ++erased;
    }
  return erased;
}

} // namespace kgen
