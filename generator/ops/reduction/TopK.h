// Shared by both lowerings of TopK: keys, integers in the order of the results (a larger key comes
// earlier).
#pragma once

#include "ops/Lowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <limits>

namespace kgen {

/// TopK along a short `axis`: the rows are the innermost dimension, so vectors go across rows.
void lowerTopKOfShortRows(LoweringContext &c, int64_t axis);
/// TopK along `axis`, rows one after another.
void lowerTopKOfLongRows(LoweringContext &c, int64_t axis);

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
mlir::Value keyOf(const LoweringContext &c, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::Value element);

} // namespace top_k
} // namespace kgen
