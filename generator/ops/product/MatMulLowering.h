// Matrix products as numpy's matmul defines them, for every operator that has one: leading
// dimensions broadcast, vectors are matrices of one row or column.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// An operand of a contraction: the iteration dimensions that its tensor dimensions are.
struct Factor {
  mlir::Value value;
  ElementType element;
  llvm::SmallVector<unsigned> dims;
};

/// The element type of a contraction's result: wide enough for sums of products.
mlir::Type accumulatorType(ElementType element, mlir::MLIRContext *context);

/// A scalar and the type that the graph gives it.
struct TypedScalar {
  mlir::Value value;
  ElementType element;
};

/// `sum` and the product of both: of floats as they are, of integers each up-converted to the type
/// of the sum by its own sign.
mlir::Value addedProduct(mlir::OpBuilder &b, mlir::Location loc, TypedScalar left,
                         TypedScalar right, mlir::Value sum);

/// result[batch..., m, n] = sum over k in the type to compute in; the contraction's iteration space
/// has `batch` + 3 dimensions. 8-bit integers are up-converted to i32, each by its own sign, and
/// sums wrap.
mlir::Value contract(LoweringContext &c, const TensorShape &shape, const Factor &a, const Factor &b,
                     const Dim &k);

/// Shapes of a product with 1-D operands made matrices.
struct ProductShape {
  TensorShape a, b;  ///< at least 2-D
  TensorShape batch; ///< broadcast
  Dim m, n, k;

  ProductShape(const TensorShape &left, const TensorShape &right);

  TensorShape result() const; ///< [batch..., m, n]
  /// The rows of all batches together.
  Dim rows() const { return batch.elements() * m; }
};

/// The shape of the product of inputs a and b, or nothing after reporting why there is none.
std::optional<TensorShape> inferProduct(const InferenceContext &context, size_t a, size_t b);

/// A matrix product as it is contracted: fewer batch dimensions, where operands allow it.
class ProductOperands {
public:
  /// Of operands a and b.
  ProductOperands(LoweringContext &c, size_t a, size_t b);

  Factor left() const; ///< operand a over [batch..., m, n, k]
  Factor right() const;
  /// A tensor with an element for each row of a (column of b), in all batches or in each, whose
  /// shape is that of the matrix then, but for 1 in the dimension that is summed over.
  Factor forRows(size_t input) const;
  Factor forColumns(size_t input) const;

  TensorShape result() const; ///< [batch..., m, n], batches without those of one element
  const TensorShape &whole() const { return asked; } ///< [batch..., m, n] as the graph has it
  const Dim &depth() const { return s.k; }

private:
  unsigned rowLoop() const { return static_cast<unsigned>(result().size()) - 2; }
  Factor batched(Factor operand, const TensorShape &shape, unsigned row, unsigned column) const;

  LoweringContext &c;
  size_t a, b;
  ProductShape s;
  TensorShape asked;
};

/// The product of operands a and b as [batch..., m, n], rounded to `element`.
mlir::Value matrixProduct(LoweringContext &c, size_t a, size_t b, mlir::Type element);

} // namespace kgen
