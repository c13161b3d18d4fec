// What is recorded about a micro-kernel: who offered to make it, who makes it, and who calls it.
#pragma once

#include "dialect/kgen/Decisions.h"
#include "dialect/ukernel/Ukernel.h"

namespace kgen {

class KernelRecord {
public:
  KernelRecord(DecisionLog &log, ukernel::KernelOpInterface kernel) : log(log), kernel(kernel) {}

  /// A provider's cost, or its reason to refuse.
  void offer(llvm::StringRef provider, std::optional<double> cost, llvm::StringRef refusal);
  /// Writes the decision. The calls are still there, the kernel too.
  void chosen(llvm::StringRef provider);

private:
  mlir::ArrayAttr calls();

  DecisionLog &log;
  ukernel::KernelOpInterface kernel;
  llvm::SmallVector<mlir::Attribute> offers;
};

} // namespace kgen
