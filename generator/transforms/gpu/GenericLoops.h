// A linalg.generic on memrefs as kernels see it.
#pragma once

#include "transforms/gpu/KernelBuilder.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <vector>

namespace kgen::gpu_kernels {

/// An operand and where its elements are.
struct LoopOperand {
  mlir::Value memref;  ///< null: `constant` is what all elements are
  mlir::AffineMap map; ///< from loops to indices
  /// The address as a function of the loops; nothing if indices are no sums of multiples of these.
  std::optional<LinearForm> address;
  mlir::TypedAttr constant{};
};

/// An operation whose loops and memrefs are known in full.
struct GenericLoops {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<int64_t> sizes; ///< of all loops
  llvm::SmallVector<unsigned> parallel, reduced;
  std::vector<LoopOperand> inputs, outputs;
  /// The beginnings of results in place of what is in memory; null where memory has it.
  llvm::SmallVector<mlir::TypedAttr> starts;

  int64_t points() const; ///< of the parallel loops
  int64_t terms() const;  ///< of the others
  /// All memrefs, those that the body reads included.
  llvm::SmallVector<mlir::Value> memrefs() const;
  /// True if the body takes what result `number` was before.
  bool readsOutput(unsigned number) const;
  bool usesIndices() const;
};

/// True for what a thread may compute: values of scalars, and reads.
bool isScalarCode(mlir::Operation *op);

/// Returns nothing, and why, where no kernel can be made.
std::optional<GenericLoops> loopsOf(mlir::linalg::GenericOp op, std::string &reason);

/// Stands for an element that nothing reads.
mlir::Value zeroLike(KernelBuilder &kernel, const LoopOperand &operand);

/// An operand's element at an address, or its constant.
mlir::Value elementAt(KernelBuilder &kernel, const LoopOperand &operand, mlir::Value address);

/// The address of an operand's element where all loops are at `indices`.
mlir::Value addressOf(KernelBuilder &kernel, const LoopOperand &operand, mlir::ValueRange indices);

} // namespace kgen::gpu_kernels
