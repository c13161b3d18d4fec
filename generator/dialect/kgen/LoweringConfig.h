// Access to `#kgen.lowering_config` of operations, and to its parts.
#pragma once

#include "dialect/kgen/Kgen.h"

namespace kgen {

constexpr llvm::StringLiteral loweringConfigAttrName = "lowering_config";

/// On micro-kernels' descriptors: the provider that the operations ask for which call them.
constexpr llvm::StringLiteral wantedProviderAttrName = "kgen.wanted_provider";

/// On stores of vectors: whether a schedule demands that they are non-temporal, or are not.
constexpr llvm::StringLiteral wantsNonTemporalAttrName = "kgen.non_temporal";

/// The config of `op`, or null.
LoweringConfigAttr loweringConfigOf(mlir::Operation *op);

/// The config of `op`, or one without any part, to set parts of.
LoweringConfigAttr loweringConfigOrEmpty(mlir::Operation *op);

void setLoweringConfig(mlir::Operation *op, LoweringConfigAttr config);

/// The tile sizes that the config of `op` has for tasks, or for caches; null if it has none.
mlir::DenseI64ArrayAttr taskTilesOf(mlir::Operation *op);
mlir::DenseI64ArrayAttr cacheTilesOf(mlir::Operation *op);

/// "packed" or "plain" if the config of `op` says so of an operand ("rhs"), else empty.
llvm::StringRef layoutOf(mlir::Operation *op, llvm::StringRef operand);

/// True if all loops stay whole.
bool isUntiled(llvm::ArrayRef<int64_t> tiles);

} // namespace kgen
