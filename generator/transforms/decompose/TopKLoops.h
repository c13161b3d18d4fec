// Shared by both lowerings of kgen.top_k: keys, integers in the order of the results (a larger key
// comes earlier).
#pragma once

#include "dialect/kgen/GenericBuilder.h"
#include "transforms/decompose/NamedOpLoops.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <limits>

namespace kgen {

/// Along a short axis: the rows are the innermost dimension, so vectors go across rows.
DecomposedOp buildTopKOfShortRows(mlir::OpBuilder &b, TopKOp op);
/// Rows one after another.
DecomposedOp buildTopKOfLongRows(mlir::OpBuilder &b, TopKOp op);

namespace top_k {

constexpr int32_t nowhere = std::numeric_limits<int32_t>::max();

using Order = mlir::arith::CmpIPredicate;
mlir::Value compare(mlir::OpBuilder &b, mlir::Location loc, Order how, mlir::Value l,
                    mlir::Value r);
mlir::Value number(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                   const llvm::APInt &value);
/// The index along loop `loop`.
mlir::Value here(mlir::OpBuilder &b, mlir::Location loc, unsigned loop);

mlir::Type keyType(mlir::Type element);
/// A signed integer of 32 or 64 bits; an element with a larger key comes earlier in the result.
mlir::Value keyOf(TopKOp op, mlir::OpBuilder &b, mlir::Location loc, mlir::Value element);

} // namespace top_k
} // namespace kgen
