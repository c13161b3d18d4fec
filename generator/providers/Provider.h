// The interface of generators of micro-kernels. Of the providers of a target's back end
// (Backend::providers), the one with the lowest cost generates a kernel; the earlier one if costs
// are equal.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "dialect/ukernel/Ukernel.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>

#include <llvm/ADT/ArrayRef.h>

#include <memory>
#include <string>
#include <vector>

namespace kgen {

/// Kernel forms that layouts may count on.
struct KernelCapabilities {
  bool multipliesUnequalTypes = true; ///< an A of f32 by a narrower B
  bool skipsImplicitPadding = true;   ///< products with tpp.implicit_pad
};

class Provider {
public:
  virtual ~Provider() = default;
  virtual llvm::StringRef name() const = 0;
  virtual llvm::StringRef summary() const = 0; ///< what it makes, in half a line for `--help`

  /// True if it may make kernels of the module; others are asked only by name.
  virtual bool isAskedFor(mlir::ModuleOp module) const { return true; }

  virtual KernelCapabilities capabilities() const { return {}; }

  /// Returns why it makes no kernels for a target's triple; "": it does.
  virtual std::string refusal(llvm::StringRef triple) const { return ""; }

  /// The estimated cost of one call in cycles; nothing if this provider cannot generate the kernel,
  /// for the reason in `refusal`.
  virtual std::optional<double> cost(ukernel::GemmOp kernel, TargetAttr target,
                                     std::string &refusal) const = 0;

  /// Inserts a private function of the kernel's name and ABI at the builder's insertion point. The
  /// caller then erases the descriptor.
  virtual mlir::LogicalResult generate(ukernel::GemmOp kernel, TargetAttr target,
                                       mlir::OpBuilder &builder) const = 0;

  /// Likewise for elementwise kernels; the defaults refuse them.
  virtual std::optional<double> cost(ukernel::MapOp kernel, TargetAttr target,
                                     std::string &refusal) const;
  virtual mlir::LogicalResult generate(ukernel::MapOp kernel, TargetAttr target,
                                       mlir::OpBuilder &builder) const;
};

/// Those for any back end: code on vectors, and kernels of the library's templates.
const Provider &vectorProvider();
const Provider &templatesProvider();

/// Those of all back ends, each once.
std::vector<const Provider *> allProviders();

/// The option value for the provider with the lowest cost.
constexpr llvm::StringLiteral autoProviderName = "auto";
/// True for `autoProviderName` and the names of providers.
bool isProviderName(llvm::StringRef name);

/// Returns what all kernels can do if `name` makes them. Of several providers, one that cannot do
/// something refuses such a kernel, and another one makes it.
KernelCapabilities kernelCapabilities(llvm::StringRef name);

/// Module attribute (a unit): the requested provider cannot generate one of the kernels. Tells such
/// a request from a defect.
constexpr llvm::StringLiteral refusedAttrName = "kgen.refused";

#define GEN_PASS_DECL
#include "providers/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "providers/Passes.h.inc"

} // namespace kgen
