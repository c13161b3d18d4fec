// Steps of the pipeline that are no pass of their own, by name.
#pragma once

#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/ArrayRef.h>

namespace kgen {

struct Step {
  llvm::StringLiteral name; ///< kgen-opt's flag is --kgen-<name>
  llvm::StringLiteral description;
  void (*add)(mlir::OpPassManager &);
};

llvm::ArrayRef<Step> steps();

/// Canonicalization and common subexpressions; no step with a name.
void addCleanups(mlir::OpPassManager &pm);
void addFoldIntoElementwise(mlir::OpPassManager &pm);
void addPackedLayout(mlir::OpPassManager &pm);
void addWriteToCaller(mlir::OpPassManager &pm);
void addBufferize(mlir::OpPassManager &pm);
void addLicm(mlir::OpPassManager &pm);

} // namespace kgen
