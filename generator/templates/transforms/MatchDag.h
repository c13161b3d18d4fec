// Compares operations with the computation of a template's function.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>

#include <map>
#include <string>

namespace kgen::templates {

/// Numbers in a pattern that stand for any number, by the parameter that they are.
using Placeholders = std::map<std::string, double>;

/// A pattern's values and operations where they were found.
struct DagMatch {
  llvm::DenseMap<mlir::Value, mlir::Value> values; ///< of the pattern, and what they are
  llvm::SetVector<mlir::Operation *> operations;   ///< without constants and tensor.empty
  std::map<std::string, double> numbers;           ///< what the placeholders are
};

enum class DagComparison {
  form, ///< which operations, and what they read: neither types and attributes nor maps
  exact
};

/// Compares a function of one block with the operations that compute its first result as a result
/// of `root`, and its other results anywhere in the block of `root`.
class DagMatcher {
public:
  DagMatcher(mlir::func::FuncOp pattern, DagComparison comparison, Placeholders placeholders = {})
      : pattern(pattern), comparison(comparison), placeholders(std::move(placeholders)) {}

  std::optional<DagMatch> match(mlir::Operation *root);

private:
  bool isExact() const { return comparison == DagComparison::exact; }
  bool matchValue(mlir::Value wanted, mlir::Value found);
  bool matchOperation(mlir::Operation *wanted, mlir::Operation *found);
  bool matchOperands(mlir::Operation *wanted, mlir::Operation *found);
  bool matchLinalg(mlir::Operation *wanted, mlir::Operation *found);
  bool matchBlockArguments(mlir::BlockArgument wanted, mlir::BlockArgument found);
  std::optional<bool> matchConstants(mlir::Value wanted, mlir::Value found);
  bool matchNumbers(mlir::TypedAttr wanted, mlir::TypedAttr found);
  bool isAvailable(mlir::Value argument) const;
  bool bind(mlir::Value wanted, mlir::Value found);

  mlir::func::FuncOp pattern;
  DagComparison comparison;
  Placeholders placeholders;
  mlir::Operation *root = nullptr;
  DagMatch state;
  unsigned steps = 0;
};

/// True if an operation may be read by others, too: it is not replaced, and costs nothing.
bool isFreeInDags(mlir::Operation *op);

} // namespace kgen::templates
