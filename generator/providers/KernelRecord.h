// The record of a micro-kernel for `kgen explain`: offers of providers, the selected one, and
// callers.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/ukernel/Ukernel.h"

namespace kgen {

class KernelRecord {
public:
  KernelRecord(DecisionLog &log, ukernel::KernelOpInterface kernel) : log(log), kernel(kernel) {}

  /// Adds a provider's cost in cycles, or its refusal.
  void offer(llvm::StringRef provider, std::optional<double> cost, llvm::StringRef refusal);
  /// Writes the record. Requires that the kernel and its calls still exist.
  void chosen(llvm::StringRef provider);

private:
  mlir::ArrayAttr calls();

  DecisionLog &log;
  ukernel::KernelOpInterface kernel;
  llvm::SmallVector<mlir::Attribute> offers;
};

} // namespace kgen
