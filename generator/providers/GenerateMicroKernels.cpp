// Asks the providers, once for each micro-kernel.
#include "providers/KernelRecord.h"
#include "providers/Provider.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/Pass/Pass.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_GENERATEMICROKERNELSPASS
#include "providers/Passes.h.inc"

namespace {

/// The cheapest provider for the kernel, or null with all refusals.
const Provider *select(ukernel::GemmOp kernel, TargetAttr target, std::string &refusals,
                       KernelRecord &record) {
  const Provider *best = nullptr;
  double bestCost = 0;
  for (const Provider *provider : allProviders()) {
    std::string refusal;
    std::optional<double> cost = provider->cost(kernel, target, refusal);
    record.offer(provider->name(), cost, refusal);
    if (!cost)
      refusals += "\n  " + provider->name().str() + ": " + refusal;
    else if (!best || *cost < bestCost) {
      best = provider;
      bestCost = *cost;
    }
  }
  return best;
}

struct GenerateMicroKernelsPass : impl::GenerateMicroKernelsPassBase<GenerateMicroKernelsPass> {
  void runOnOperation() override {
    TargetAttr target = targetOf(getOperation());
    if (!target) {
      getOperation().emitError("needs a target: the module has no 'kgen.target'");
      return signalPassFailure();
    }
    SmallVector<ukernel::GemmOp> kernels(getOperation().getOps<ukernel::GemmOp>());
    DecisionLog log(getOperation(), getArgument());
    for (ukernel::GemmOp kernel : kernels) {
      std::string refusals;
      KernelRecord record(log, kernel);
      const Provider *provider = select(kernel, target, refusals, record);
      if (!provider) {
        kernel.emitError() << "no provider can make micro-kernel '" << kernel.getSymName()
                           << "':" << refusals;
        return signalPassFailure();
      }
      record.chosen(provider->name());
      OpBuilder builder(kernel);
      if (failed(provider->generate(kernel, target, builder)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
} // namespace kgen
