// Sub-pipelines: lists of passes that belong together. Each is a flag of kgen-opt.
#pragma once

#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/ArrayRef.h>

namespace kgen {

struct SubPipeline {
  llvm::StringLiteral name; ///< kgen-opt's flag is --kgen-<name>
  llvm::StringLiteral description;
  void (*add)(mlir::OpPassManager &);
};

/// All that is declared below but addCleanups, and addTemplates.
llvm::ArrayRef<SubPipeline> subPipelines();

/// Canonicalization and common subexpression elimination.
void addCleanups(mlir::OpPassManager &pm);
/// Named operations become generics, and chains of elementwise operations become one generic.
void addFoldIntoElementwise(mlir::OpPassManager &pm);
/// Packs are propagated, folded into constants, and cancelled with unpacks.
void addPackedLayout(mlir::OpPassManager &pm);
/// Results that start from a tensor.empty are computed in the caller's memory.
void addWriteToCaller(mlir::OpPassManager &pm);
/// One-shot bufferization, after addWriteToCaller or with copies of results. The arguments of a
/// graph's function are memrefs already.
void addBufferize(mlir::OpPassManager &pm);
/// Folds what is around calls of micro-kernels into these; calls are checked, and each kernel is
/// there once.
void addFoldIntoUkernels(mlir::OpPassManager &pm);
/// Loop-invariant code motion.
void addLicm(mlir::OpPassManager &pm);

} // namespace kgen
