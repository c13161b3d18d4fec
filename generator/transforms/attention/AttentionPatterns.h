// What attention looks like when it is spelled out on tensors: products, softmax, masks.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>

#include <optional>

namespace kgen {

/// The value below conversions between floats that no rounding mode was asked for.
mlir::Value unconverted(mlir::Value value);
/// The input or output that a value in the body is, or null.
mlir::OpOperand *operandOf(mlir::linalg::GenericOp op, mlir::Value value);
mlir::Value yielded(mlir::linalg::GenericOp op);
/// A generic over all dimensions of its result.
bool isElementwise(mlir::linalg::GenericOp op);

/// A generic that only permutes dimensions, leaves some of the result's out of what it reads, or
/// narrows elements to a type that is computed with in the wider one.
bool isCopy(mlir::linalg::GenericOp op, bool mayNarrow = false);
/// The elements widened or rounded to `element`; `value` itself if they are, or if that is null.
mlir::Value inElementType(mlir::OpBuilder &b, mlir::Value value, mlir::Type element);
/// What was rounded to give `value`, if it has the type; null if a rounding mode was asked for.
mlir::Value unrounded(mlir::Value value, mlir::Type type);
/// The number that all elements of a constant have.
mlir::TypedAttr splatOf(mlir::Value value);
/// What was rounded to give `value`, and nothing else; or `value`.
mlir::Value beforeRounding(mlir::Value value);

/// The tensor that `weights` is the softmax of along its last dimension, if nothing else reads what
/// is computed on the way; else null.
mlir::Value softmaxOf(mlir::Value weights);

/// A product of two tensors, and nothing else.
bool isPlain(tpp::GemmOp gemm);

/// For each dimension of a product's operand or result, those of the scores that it stands for: the
/// dimensions of a batch are often multiplied as one.
using Groups = llvm::SmallVector<llvm::SmallVector<unsigned>>;

Groups groupsOf(llvm::ArrayRef<mlir::ReassociationIndices> reassociation);
Groups singles(unsigned rank);
unsigned rankOf(mlir::Value value);

/// What stands between the first product and the softmax: a reshape of its batch, then elementwise
/// operations.
struct Chain {
  tpp::GemmOp product;
  Groups groups;        ///< of its result
  mlir::Value unscaled; ///< its result after the reshape
  llvm::SmallVector<mlir::linalg::GenericOp> steps;
};

/// Follows `scores` down to a product.
std::optional<Chain> chainOf(mlir::Value scores);

/// A mask of keys that come after the query: `select(key <= query + offset, score, -inf)`.
struct CausalMask {
  mlir::Value score;
  int64_t offset;
};

std::optional<CausalMask> causalMask(mlir::linalg::GenericOp op);

} // namespace kgen
