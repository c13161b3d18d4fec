// What both ways to find the largest elements share: keys, integers that are the larger, the
// earlier an element comes.
#pragma once

#include "ops/Lowering.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <limits>

namespace kgen {

/// TopK along `axis`: all rows side by side, which goes over vectors of rows; for short axes.
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
/// A signed integer of 32 or 64 bits that is the larger, the earlier an element comes.
mlir::Value keyOf(const LoweringContext &c, mlir::OpBuilder &b, mlir::Location loc,
                  mlir::Value element);

} // namespace top_k
} // namespace kgen
