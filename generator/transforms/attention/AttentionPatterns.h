// Matchers for attention that is spelled out on tensors: gemms, softmax, masks.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>

#include <llvm/ADT/SmallPtrSet.h>

#include <optional>

namespace kgen {

/// Strips arith.extf, and arith.truncf without a rounding mode, from `value`.
mlir::Value stripConversions(mlir::Value value);
/// Returns the input or output whose element `value` of the body is; null if it is computed.
mlir::OpOperand *operandOf(mlir::linalg::GenericOp op, mlir::Value value);
mlir::Value yieldedValue(mlir::linalg::GenericOp op);
/// The scalars of a body that `result` is computed from, itself included.
llvm::SmallPtrSet<mlir::Value, 8> scalarsOf(mlir::Value result);
/// True for a generic on tensors whose loops are the dimensions of its result, all parallel.
bool isElementwise(mlir::linalg::GenericOp op);

/// True for a generic that only transposes and broadcasts. With `mayNarrow` it may also round
/// elements from their accumulator type to the stored type.
bool isCopy(mlir::linalg::GenericOp op, bool mayNarrow = false);
/// Extends or rounds the elements to `element`; returns `value` itself if they have that type, or
/// if `element` is null.
mlir::Value inElementType(mlir::OpBuilder &b, mlir::Value value, mlir::Type element);
/// Returns the scalar of type `type` that was rounded to `value`; null if there is none, or if the
/// rounding has a mode.
mlir::Value beforeTruncation(mlir::Value value, mlir::Type type);
/// Returns the scalar of a splat constant; null for other values.
mlir::TypedAttr splatOf(mlir::Value value);
/// Returns the tensor that was rounded, and nothing else, to `value`; `value` if it was not.
mlir::Value beforeRounding(mlir::Value value);

/// A generic that multiplies the elements of one input, which it may transpose and broadcast, with
/// a constant, or divides them by one.
struct Scale {
  mlir::OpOperand *input;
  double factor;
};

/// Nothing for other generics, and for factors that are 0, subnormal, infinite or NaN.
std::optional<Scale> scaleOf(mlir::linalg::GenericOp op);

/// True for a slice of a transposed copy, and for one whose dimensions of 1 are dropped then.
bool isSliceOfCopy(mlir::Value value);
/// Replaces such a slice by a transposed copy of a slice.
void sliceBeforeCopy(mlir::RewriterBase &b, mlir::Value value);

/// A repetition by Tile has a dimension of 1 beside each dimension, which the contraction shall not
/// have: `collapse` of such a repetition becomes that of one without.
void dropUnitDimsOfRepetition(mlir::RewriterBase &b, mlir::tensor::CollapseShapeOp collapse);

/// Returns w of `isnan(w) ? 0 : w`, if nothing else reads w; null for other values.
mlir::Value beforeNanGuard(mlir::Value value);

/// A softmax along the last dimension.
struct SoftmaxOperand {
  mlir::Value scores;
  bool maskedToZero = false; ///< 0, and not NaN, where all scores of a row are -inf
};

/// Returns the tensor whose softmax `weights` is; null if there is none, or if other operations
/// read an intermediate tensor of it. Who reads `weights` is for the caller to ask.
SoftmaxOperand softmaxOf(mlir::Value weights);

/// The operands of an operation on the scores that `result`, a scalar of its body, is computed
/// from, beside `below`, the scores before it, and constants.
llvm::SmallVector<mlir::OpOperand *> otherOperands(mlir::linalg::GenericOp op, mlir::Value below,
                                                   mlir::Value result);
/// Returns why `result`, a scalar of the body of an operation on the scores, cannot become part of
/// an attention; empty if it can.
llvm::StringRef bodyRefusal(mlir::linalg::GenericOp op, mlir::Value result);

/// Returns why the second gemm of what is nearly an attention, two gemms with a sum of exponentials
/// between them, is none; nothing if it is far from one.
std::optional<llvm::StringRef> missingForAttention(tpp::GemmOp valueGemm);

/// True for a gemm of two unpacked tensors with an empty epilogue that does not accumulate.
bool isPlainGemm(tpp::GemmOp gemm);

/// For each dimension of a gemm's operand or result, the dimensions of the scores that are
/// collapsed into it: batch dimensions are often multiplied as one.
using DimGroups = llvm::SmallVector<llvm::SmallVector<unsigned>>;

DimGroups dimGroups(llvm::ArrayRef<mlir::ReassociationIndices> reassociation);
DimGroups singleDims(unsigned rank);
unsigned rankOf(mlir::Value value);

/// The operations from the first gemm to the softmax: a reshape of the batch dimensions, then
/// elementwise operations.
struct ScoreChain {
  tpp::GemmOp gemm;
  DimGroups groups;                                       ///< of the gemm's result
  mlir::Value gemmScores;                                 ///< the gemm's result after the reshape
  llvm::SmallVector<mlir::linalg::GenericOp> elementwise; ///< in the order of execution
};

/// Follows `scores` down to a gemm; nothing if there is none.
std::optional<ScoreChain> scoreChain(mlir::Value scores);

/// A causal mask: the query of row m sees keys up to m + `offset`.
struct CausalMask {
  mlir::Value score; ///< in the body: the score before the mask
  int64_t offset;
  bool isFinite; ///< hidden scores are low numbers, not -inf
};

/// Returns the mask that is the last thing that happens to the scores in `op`, on indices or on
/// constants; nothing if there is none.
std::optional<CausalMask> causalMask(mlir::linalg::GenericOp op);

} // namespace kgen
