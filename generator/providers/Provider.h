// What makes the code of a micro-kernel. Providers are asked in the order of the list in
// CMakeLists.txt; the cheapest one that can make a kernel makes it.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>

#include <llvm/ADT/ArrayRef.h>

#include <memory>
#include <string>

namespace kgen {

class Provider {
public:
  virtual ~Provider() = default;
  virtual llvm::StringRef name() const = 0;

  /// The estimated cost in cycles of one call, or nothing with the reason why this provider cannot
  /// make the kernel.
  virtual std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                                     std::string &refusal) const = 0;

  /// Inserts a private function of the kernel's name and ABI at the builder's insertion point. The
  /// kernel's descriptor is removed by the caller afterwards.
  virtual mlir::LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                                       mlir::OpBuilder &builder) const = 0;

  /// The same for elementwise kernels, which a provider need not make.
  virtual std::optional<double> cost(ukernel::MapOp kernel, TargetAttr target,
                                     std::string &refusal) const;
  virtual mlir::LogicalResult generate(ukernel::MapOp kernel, TargetAttr target,
                                       mlir::OpBuilder &builder) const;
};

llvm::ArrayRef<const Provider *> allProviders();

/// What asks for the cheapest provider instead of a certain one.
constexpr llvm::StringLiteral autoProviderName = "auto";
/// Whether it is `autoProviderName` or the name of a provider.
bool isProviderName(llvm::StringRef name);

/// Set on a module whose kernels the provider that was asked for does not make: a request that
/// cannot be met, not a defect.
constexpr llvm::StringLiteral refusedAttrName = "kgen.refused";

#define GEN_PASS_DECL
#include "providers/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "providers/Passes.h.inc"

} // namespace kgen
