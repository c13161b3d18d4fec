// How an operation is to be lowered: where `#kgen.lowering_config` is on it, and how parts are set.
#pragma once

#include "dialect/kgen/Kgen.h"

namespace kgen {

constexpr llvm::StringLiteral loweringConfigAttrName = "lowering_config";

/// On micro-kernels' descriptors: the provider that the operations ask for which call them.
constexpr llvm::StringLiteral wantedProviderAttrName = "kgen.wanted_provider";

/// The config of `op`, or null.
LoweringConfigAttr loweringConfigOf(mlir::Operation *op);

/// The config of `op`, or one without any part, to set parts of.
LoweringConfigAttr loweringConfigOrEmpty(mlir::Operation *op);

void setLoweringConfig(mlir::Operation *op, LoweringConfigAttr config);

/// The tile sizes of a part, or none if it is missing.
inline llvm::ArrayRef<int64_t> tilesOr(mlir::DenseI64ArrayAttr part,
                                       llvm::ArrayRef<int64_t> otherwise = {}) {
  return part ? part.asArrayRef() : otherwise;
}

} // namespace kgen
