// Common parts of the passes that recognize idioms: where they look, what an idiom takes the place
// of, and operations in the index space of an expression.
#pragma once

#include "transforms/idioms/Polynomial.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Builders.h>

#include <string>

namespace kgen {

/// Results of elementwise operations and reshapes that depend on `op`, itself included, in the
/// order of the block; up to `maxDepth` operations away. With `throughReductions`, also those that
/// depend on it by way of a reduction.
llvm::SmallVector<mlir::Operation *> elementwiseUsers(mlir::Operation *op, unsigned maxDepth = 8,
                                                      bool throughReductions = false);

/// Looks for an idiom at each linalg operation that elementwiseUsers finds for `seed`, until
/// `raise` finds one and returns true, or to the first operation that is `done`.
void searchIdiom(mlir::Operation *seed, unsigned maxDepth, bool throughReductions,
                 const llvm::DenseSet<mlir::Operation *> &done,
                 llvm::function_ref<bool(mlir::Operation *, const ExpressionTree &)> raise);

/// The operations that compute `root` from `leaves` and constants.
class IdiomBody {
public:
  IdiomBody(mlir::Value root, llvm::ArrayRef<mlir::Value> leaves);

  /// One that something else reads the result of, too; null if there is none. Reshapes and fills do
  /// not count.
  mlir::Operation *sharedOperation() const;
  /// The locations of all.
  mlir::Location location() const;

private:
  mlir::Operation *root;
  llvm::SetVector<mlir::Operation *> operations;
};

/// Builds operations over the dimensions of a tensor, or over the factors of an expression's index
/// space where its tensors have different shapes.
class SpaceBuilder {
public:
  /// True if the sizes of the factors are numbers, or dimensions of `root`, and `whole` has all
  /// that reductions run over: elements that are repeated along these have to be written out
  /// before.
  static bool fits(const ExpressionTree &of, mlir::Value root, const Expression *whole,
                   llvm::ArrayRef<unsigned> over);

  /// Collects the operands that fit the space. `over`: the factors that reductions run over.
  SpaceBuilder(mlir::OpBuilder &b, mlir::Location loc, const ExpressionTree &of, mlir::Value root,
               const Expression *whole, llvm::ArrayRef<unsigned> over);

  struct Operand {
    mlir::Value value;
    mlir::AffineMap map;
  };
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  /// The tensor of an expression, reshaped if its dimensions are not those of the space.
  Operand operand(mlir::Location loc, const Expression *e);
  /// The tensor of an expression with the dimensions of the loops, in their order: reshaped, or
  /// copied where it is transposed or broadcast. Elements that `compute` is not the type to compute
  /// in of are converted to it.
  mlir::Value whole(mlir::Location loc, const Expression *e, mlir::Type compute);
  /// Likewise, but null where elements would have to be copied.
  mlir::Value wholeInPlace(mlir::Location loc, const Expression *e, mlir::Type compute);
  /// The loops that reductions run over.
  llvm::SmallVector<int64_t> reducedLoops() const;
  /// Returns what `reduced` and `onRows` return.
  Operand row(mlir::Value value) const { return {value, kept}; }
  Operand full(mlir::Value value) const { return {value, all}; }

  /// `body` gets the operands' elements in `compute` and the accumulator.
  mlir::Value reduced(mlir::Location loc, mlir::Type compute, mlir::TypedAttr init,
                      llvm::ArrayRef<Operand> operands, Body body);
  /// For each row, of what is in `compute` already.
  mlir::Value onRows(mlir::Location loc, mlir::Type compute, mlir::Value row, Body body);
  /// `body` gets the operands' elements in `compute`; what it returns is rounded to `element`.
  mlir::Value elementwise(mlir::Location loc, mlir::Type compute, mlir::Type element,
                          llvm::ArrayRef<Operand> operands, Body body);
  /// The result in the root's shape.
  mlir::Value result(mlir::Location loc, mlir::Value value);

private:
  mlir::Value generic(mlir::Location loc, mlir::Type compute, mlir::Value out,
                      mlir::AffineMap outMap, llvm::ArrayRef<Operand> operands, Body body);

  mlir::OpBuilder &b;
  mlir::RankedTensorType root;
  llvm::SmallVector<mlir::OpFoldResult> shape,
      keptShape; ///< of the loops, and of those that are no reductions
  llvm::SmallVector<unsigned> loopOfFactor;
  Subscripts rootAt;
  llvm::SmallVector<mlir::OpFoldResult> sizes; ///< of the factors
  mlir::AffineMap all, kept;
  bool isDirect; ///< the loops are the dimensions of the root
};

/// The tensor of 16-bit elements that `value` is rounded to, if nothing else reads it; otherwise
/// `value`. Expressions do not show roundings.
mlir::Value asStored(mlir::Value value);

/// The name of a node in quotes, for remarks.
std::string nameOf(mlir::Operation *op);

/// f32 for floats of 16 bits, else the type itself.
mlir::Type computeTypeOf(mlir::Type element);

} // namespace kgen
