// The elements of tensors as expressions, whichever operations compute them: elementwise linalg
// operations, named or not, broadcasts, transposes, reshapes, fills, constants and reductions.
// Equal expressions are one object, so that idioms are found by comparing pointers.
//
//   mean = sum of x over d1 / 768; y = x - mean   is   subf(x[d0, d1], divf(sum over d1 of x[d0,
//   d1], 768))
#pragma once

#include "dialect/kgen/NamedOps.h"
#include "support/TensorShape.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/Value.h>

#include <llvm/ADT/STLFunctionalExtras.h>

#include <map>
#include <memory>
#include <optional>

namespace kgen {

/// The index of each dimension of a tensor: the factors of the index space that it is made of,
/// outermost first. None: the dimension has one element.
using Subscripts = llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 4>;

struct Expression {
  enum class Kind {
    constant,  ///< `number`
    element,   ///< an element of `tensor` that nothing else is known of
    operation, ///< `op` of the operands; kgen.normalization `over` those it is along
    reduction  ///< the sum (or maximum, ...: `op`) of the operand over the factors `over`
  };

  Kind kind = Kind::element;
  unsigned id = 0; ///< in the order of creation: operands have smaller ones
  double number = 0;
  llvm::SmallVector<const Expression *, 3> operands;
  mlir::Operation *op = nullptr; ///< of operations and reductions: one that computes it
  llvm::SmallVector<unsigned, 2> over;

  /// The tensor whose element this is; null if it is a value in a body only.
  mlir::Value tensor;
  Subscripts subscripts;

  template <typename Op> bool is() const { return op && llvm::isa<Op>(op); }
  bool isConstant() const { return kind == Kind::constant; }
};

/// The reduction by `Op`, or null.
template <typename Op> const Expression *reductionBy(const Expression *e) {
  return e->kind == Expression::Kind::reduction && e->is<Op>() ? e : nullptr;
}
/// The operation `Op` that is no reduction, or null.
template <typename Op> const Expression *operationOf(const Expression *e) {
  return e->kind == Expression::Kind::operation && e->is<Op>() ? e : nullptr;
}

/// Expressions, each once.
class ExpressionTable {
public:
  /// Operands come before what uses them.
  llvm::ArrayRef<std::unique_ptr<Expression>> all() const { return list; }

protected:
  const Expression *unique(Expression e);
  const Expression *constant(double number);
  void clear() { list.clear(), known.clear(); }

  std::vector<std::unique_ptr<Expression>> list;

private:
  std::map<std::vector<uint64_t>, const Expression *> known;
};

/// The values of a body. What is no mathematical operation is an element, `tensor` of every
/// expression the value itself.
class ScalarExpressions : public ExpressionTable {
public:
  explicit ScalarExpressions(size_t maxExpressions) : maxExpressions(maxExpressions) {}

  /// Null if there would be more than `maxExpressions`.
  const Expression *expressionOf(mlir::Value value);

private:
  size_t maxExpressions;
  llvm::DenseMap<mlir::Value, const Expression *> ofValue;
};

/// The expression of an element of one tensor, and all that it is made of.
class ExpressionTree : public ExpressionTable {
public:
  /// The element at an index of `tensor`, whose sizes are known. Operations that are more than
  /// `maxDepth` away are not looked at: their results are elements.
  explicit ExpressionTree(mlir::Value tensor, unsigned maxDepth = 24);

  /// Null if the tensor has no elements, or others than floats.
  const Expression *root() const { return result; }
  /// The subscripts of the tensor itself.
  const Subscripts &rootSubscripts() const { return resultAt; }
  /// The sizes of the factors of the index space. Each dimension of the tensor is the product of
  /// some that follow each other; there are more factors than dimensions where reshapes divide
  /// these. Dimensions of one element have none. After `numFactors()` there are those that only
  /// reductions run over.
  llvm::ArrayRef<Dim> sizes() const { return factors; }
  unsigned numFactors() const { return outer; }
  /// The product of the sizes.
  Dim count(llvm::ArrayRef<unsigned> of) const;

private:
  struct Split {
    unsigned factor;
    Dim inner;
  };
  const Expression *buildTensor(mlir::Value tensor, const Subscripts &at, unsigned depth);
  const Expression *buildResult(mlir::Value tensor, const Subscripts &at, unsigned depth);
  const Expression *buildReshape(mlir::Value source, const Subscripts &at, unsigned depth);
  const Expression *buildElementwise(mlir::linalg::LinalgOp op, const Subscripts &at,
                                     unsigned depth);
  const Expression *buildNormalization(NormalizationOp op, const Subscripts &at, unsigned depth);
  const Expression *buildReduction(mlir::linalg::LinalgOp op, const Subscripts &at, unsigned depth);
  const Expression *buildBody(mlir::linalg::LinalgOp op, mlir::Value value, const Subscripts &loops,
                              unsigned depth);
  const Expression *buildScalar(mlir::linalg::LinalgOp op, mlir::Value value,
                                const Subscripts &loops, unsigned depth);
  Subscripts reductionIndices(const TensorShape &shape, const llvm::SmallDenseSet<unsigned> &used);
  std::optional<Subscripts> regrouped(llvm::ArrayRef<unsigned> factors, const TensorShape &shape);

  llvm::SmallVector<Dim> factors;
  unsigned outer = 0, maxDepth;
  std::optional<Split>
      split; ///< the factor that a reshape divides: the expression is built again with it divided
  std::map<std::vector<uint64_t>, const Expression *> ofKnownValue;
  const Expression *result = nullptr;
  Subscripts resultAt;
};

/// The scalar that `op` fills a tensor with, as linalg.fill or in its general form; null if it does
/// something else, or is null.
mlir::Value filledWith(mlir::Operation *op);

/// The number of a scalar constant or of all elements of a constant or filled tensor.
std::optional<double> constantOf(mlir::Value value);

/// A mathematical operation on scalars.
bool isScalarComputation(mlir::Operation *op);

/// Makes subscripts part of a key.
void appendSubscripts(std::vector<uint64_t> &key, const Subscripts &at);

} // namespace kgen
