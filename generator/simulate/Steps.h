// Makes the steps of a function, one kind of operation a file.
#pragma once

#include "simulate/StepProgram.h"
#include "support/Diagnostics.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

#include <optional>

namespace kgen {

/// Numbers the values of a function and makes its steps. Reports all operations that it does not
/// know.
class StepBuilder {
public:
  /// A function that runs on no machine, the reference, may have parallel loops of any kind.
  StepBuilder(StepProgram &program, bool isForMachine, Diagnostics &diagnostics)
      : program(program), isForMachine(isForMachine), diagnostics(diagnostics) {}

  /// True if the function could be compiled.
  bool build(mlir::func::FuncOp function);

  int scalarOf(mlir::Value value);
  int viewOf(mlir::Value value);
  IndexValue indexOf(mlir::OpFoldResult value);
  int siteOf(mlir::Operation *op) { return program.sites.add(op); }
  /// True if anything writes the memory that a value is a view of.
  bool isWritten(mlir::Value root) const { return written.contains(root); }
  StepBlock blockOf(mlir::Block &block);
  void add(StepBlock &block, std::unique_ptr<Step> step) { block.steps.push_back(std::move(step)); }
  void error(mlir::Operation *op, const std::string &message, const std::string &hint = "");

  StepProgram &program;
  const bool isForMachine;

private:
  void addOperation(mlir::Operation *op, StepBlock &block);
  void addArguments(mlir::func::FuncOp function);
  void findWrites(mlir::func::FuncOp function);

  Diagnostics &diagnostics;
  llvm::DenseMap<mlir::Value, int> scalars, views;
  llvm::DenseSet<mlir::Value> written;
  bool isComplete = true;
};

// Each adds the step of an operation of its kind to the block. False if it is of another kind.
bool addViewStep(mlir::Operation *op, StepBuilder &builder, StepBlock &block);
bool addMemoryStep(mlir::Operation *op, StepBuilder &builder, StepBlock &block);
bool addScalarStep(mlir::Operation *op, StepBuilder &builder, StepBlock &block);
bool addLoopStep(mlir::Operation *op, StepBuilder &builder, StepBlock &block);
bool addStructuredStep(mlir::Operation *op, StepBuilder &builder, StepBlock &block);

/// The constant of a memref.global, if it is known.
std::optional<std::vector<char>> bytesOfConstant(mlir::Attribute value, mlir::MemRefType type);

} // namespace kgen
