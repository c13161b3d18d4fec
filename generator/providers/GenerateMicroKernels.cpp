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

bool isProviderName(StringRef name) {
  return name == autoProviderName || llvm::any_of(allProviders(), [&](const Provider *provider) {
           return provider->name() == name;
         });
}

std::optional<double> Provider::cost(ukernel::MapOp, TargetAttr, std::string &refusal) const {
  refusal = "makes products only";
  return std::nullopt;
}

LogicalResult Provider::generate(ukernel::MapOp kernel, TargetAttr, OpBuilder &) const {
  return failure();
}

namespace {

/// `make` with the kernel as what it is.
template <typename Function> auto dispatch(ukernel::KernelOpInterface kernel, Function make) {
  if (auto gemm = dyn_cast<ukernel::GemmOp>(kernel.getOperation()))
    return make(gemm);
  return make(cast<ukernel::MapOp>(kernel.getOperation()));
}

/// The cheapest provider for the kernel among those of that name, or null with all refusals.
const Provider *select(ukernel::KernelOpInterface kernel, TargetAttr target, StringRef wanted,
                       std::string &refusals, KernelRecord &record) {
  const Provider *best = nullptr;
  double bestCost = 0;
  for (const Provider *provider : allProviders()) {
    if (wanted != autoProviderName && wanted != provider->name())
      continue;
    std::string refusal;
    std::optional<double> cost =
        dispatch(kernel, [&](auto known) { return provider->cost(known, target, refusal); });
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
  using GenerateMicroKernelsPassBase::GenerateMicroKernelsPassBase;

  void runOnOperation() override {
    if (!isProviderName(provider)) {
      getOperation().emitError() << "there is no micro-kernel provider '" << provider << "'";
      return signalPassFailure();
    }
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<ukernel::KernelOpInterface> kernels(
        getOperation().getOps<ukernel::KernelOpInterface>());
    DecisionLog log(getOperation(), getArgument());
    SmallVector<const Provider *> chosen;
    for (ukernel::KernelOpInterface kernel : kernels)
      chosen.push_back(choose(kernel, target, log));
    if (llvm::is_contained(chosen, nullptr))
      return signalPassFailure();
    for (auto [kernel, maker] : llvm::zip(kernels, chosen)) {
      OpBuilder builder(kernel);
      if (failed(dispatch(kernel, [&, maker = maker](auto known) {
            return maker->generate(known, target, builder);
          })))
        return signalPassFailure();
      kernel->erase();
    }
  }

private:
  /// Null after an error, so that one run reports all kernels that cannot be made.
  const Provider *choose(ukernel::KernelOpInterface kernel, TargetAttr target, DecisionLog &log) {
    std::string refusals;
    KernelRecord record(log, kernel);
    if (const Provider *best = select(kernel, target, provider, refusals, record)) {
      record.chosen(best->name());
      return best;
    }
    if (provider != autoProviderName)
      getOperation()->setAttr(refusedAttrName, UnitAttr::get(&getContext()));
    // The name tells type and shape.
    kernel->emitError() << "no provider can make micro-kernel '"
                        << SymbolTable::getSymbolName(kernel).getValue() << "':" << refusals;
    return nullptr;
  }
};

} // namespace
} // namespace kgen
