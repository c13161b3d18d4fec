// The form of code for graphics cards after each of its stages.
#include "pipeline/StageContracts.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/GPU/IR/GPUDialect.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/Interfaces/ViewLikeInterface.h>

#include <array>

using namespace mlir;

namespace kgen {
namespace {

std::string allowAll(Operation *) { return ""; }

std::string buffersViolation(Operation *op) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor))
    return "has a tensor";
  return isa<linalg::LinalgOp>(op) && !isa<linalg::GenericOp>(op)
             ? "is an operation of linalg by name"
             : "";
}

/// Launches in order, and views of memory that they are given: the work of the program.
bool isHostWork(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() ||
         isa<gpu::LaunchFuncOp, ViewLikeOpInterface, memref::GetGlobalOp, memref::AssumeAlignmentOp,
             arith::ConstantOp>(op);
}

std::string launchViolation(gpu::LaunchFuncOp launch) {
  auto kernel =
      SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, launch.getKernelAttr());
  if (!kernel)
    return "launches a kernel that nobody has made";
  const gpu::KernelDim3 dims = launch.getBlockSizeOperandValues();
  const std::array<Value, 3> threads{dims.x, dims.y, dims.z};
  std::optional<ArrayRef<int32_t>> known = kernel.getKnownBlockSize();
  if (!known || known->size() != 3)
    return "launches a kernel whose blocks have no known size";
  for (auto [value, size] : llvm::zip(threads, *known))
    if (getConstantIntValue(value) != size)
      return "has other blocks than the kernel is made for";
  return "";
}

std::string kernelsViolation(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return function->hasAttr("kgen.workspace") ? ""
                                               : "has no size of its workspace (kgen.workspace)";
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    if (std::string violation = launchViolation(launch); !violation.empty())
      return violation;
  return isa_and_nonnull<func::FuncOp>(op->getParentOp()) && !isHostWork(op)
             ? "is computed outside of a kernel"
             : "";
}

constexpr StringLiteral tensorDialects[] = {
    "builtin", "func", "arith", "math",   "linalg", "tensor",  "memref",  "bufferization",
    "tpp",     "kgen", "scf",   "affine", "ub",     "complex", "template"};
constexpr StringLiteral bufferDialects[] = {"builtin", "func",   "arith", "math", "linalg",
                                            "memref",  "tpp",    "kgen",  "scf",  "cf",
                                            "complex", "affine", "ub",    "llvm", "template"};
constexpr StringLiteral kernelDialects[] = {"builtin", "func", "gpu", "arith",  "math",  "kgen",
                                            "memref",  "scf",  "ub",  "affine", "vector"};

// Others stay: later stages refuse them at their nodes.
constexpr StringLiteral decomposedOperations[] = {"kgen.softmax", "kgen.log_sum_exp",
                                                  "kgen.normalization", "kgen.attention"};

} // namespace

ArrayRef<StageContract> gpuStageContracts() {
  static constexpr StageContract contracts[] = {
      {"gpu-raise", tensorDialects, {}, allowAll},
      {"gpu-fuse", tensorDialects, decomposedOperations, allowAll},
      {"gpu-buffers", bufferDialects, {}, buffersViolation},
      {"gpu-kernels", kernelDialects, {}, kernelsViolation},
  };
  return contracts;
}

} // namespace kgen
