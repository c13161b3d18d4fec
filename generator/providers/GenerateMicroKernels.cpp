// Selects a provider for each micro-kernel and lets it generate the code.
#include "backend/Backend.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/LoweringConfig.h"
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

std::vector<const Provider *> allProviders() {
  llvm::SetVector<const Provider *> all;
  for (const Backend *backend : backends())
    all.insert_range(backend->providers());
  return {all.begin(), all.end()};
}

bool isProviderName(StringRef name) {
  return name == autoProviderName || llvm::any_of(allProviders(), [&](const Provider *provider) {
           return provider->name() == name;
         });
}

KernelCapabilities kernelCapabilities(StringRef name) {
  for (const Provider *provider : allProviders())
    if (provider->name() == name)
      return provider->capabilities();
  return {};
}

namespace {

/// Calls `function` with the kernel as its concrete operation.
template <typename Function> auto dispatch(ukernel::KernelOpInterface kernel, Function function) {
  if (auto gemm = dyn_cast<ukernel::GemmOp>(kernel.getOperation()))
    return function(gemm);
  return function(cast<ukernel::MapOp>(kernel.getOperation()));
}

/// The provider with the lowest cost among those that `wanted` names, or null. `refusals` gets the
/// reasons of all that cannot generate the kernel, one a line.
const Provider *select(ukernel::KernelOpInterface kernel, TargetAttr target, StringRef wanted,
                       std::string &refusals, KernelRecord &record) {
  const Provider *best = nullptr;
  double bestCost = 0;
  auto module = kernel->getParentOfType<ModuleOp>();
  const Backend *backend = backendOf(target.getTriple());
  for (const Provider *provider : backend ? backend->providers() : ArrayRef<const Provider *>()) {
    if (wanted == autoProviderName ? !provider->isAskedFor(module) : wanted != provider->name())
      continue;
    std::string refusal = provider->refusal(target.getTriple());
    std::optional<double> cost;
    if (refusal.empty())
      cost = dispatch(kernel, [&](auto known) { return provider->cost(known, target, refusal); });
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
    for (auto [kernel, selected] : llvm::zip(kernels, chosen)) {
      OpBuilder builder(kernel);
      if (failed(dispatch(kernel, [&, selected = selected](auto known) {
            return selected->generate(known, target, builder);
          })))
        return signalPassFailure();
      kernel->erase();
      ++numKernels;
    }
  }

private:
  /// Returns where errors of the kernel are: at the first node that calls it, where the kernel
  /// itself is nowhere.
  Location placeOf(ukernel::KernelOpInterface kernel) {
    auto uses = SymbolTable::getSymbolUses(kernel, getOperation());
    if (!uses || !isa<UnknownLoc>(kernel.getLoc()))
      return kernel.getLoc();
    for (SymbolTable::SymbolUse use : *uses)
      if (Location place = use.getUser()->getLoc(); !namesIn(place).empty())
        return place;
    return kernel.getLoc();
  }

  /// The provider, or null after an error; the caller goes on to report all kernels without one.
  const Provider *choose(ukernel::KernelOpInterface kernel, TargetAttr target, DecisionLog &log) {
    std::string refusals;
    KernelRecord record(log, kernel);
    auto asked = kernel->getAttrOfType<StringAttr>(wantedProviderAttrName);
    StringRef wanted = asked ? asked.getValue() : StringRef(provider);
    if (!isProviderName(wanted)) {
      emitError(placeOf(kernel)) << "there is no micro-kernel provider '" << wanted << "'";
      return nullptr;
    }
    const Provider *best = select(kernel, target, wanted, refusals, record);
    numRefusals += llvm::count(refusals, '\n');
    if (best) {
      record.chosen(best->name());
      return best;
    }
    if (!asked && provider != autoProviderName)
      getOperation()->setAttr(refusedAttrName, UnitAttr::get(&getContext()));
    // The kernel's name contains its types and shape.
    emitError(placeOf(kernel)) << "no provider can make micro-kernel '"
                               << SymbolTable::getSymbolName(kernel).getValue() << "':" << refusals;
    return nullptr;
  }
};

} // namespace
} // namespace kgen
