// Operators by name, which kgen-decompose-named-ops makes loops of: NamedOps.td.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>

#include "dialect/kgen/NamedOpsEnums.h.inc"

namespace kgen {

/// A tensor with some dimensions of a product's result; null if there is none.
struct ProductParameter {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> dimensions; ///< of the result, in the order of the tensor's own
};

/// A side of a product of bytes.
struct QuantizedFactor {
  mlir::Value bytes;
  mlir::AffineMap map; ///< from the loops to its dimensions
  bool isUnsigned = false;
  ProductParameter zeros, scales;
};

} // namespace kgen

#define GET_OP_CLASSES
#include "dialect/kgen/NamedOps.h.inc"

namespace kgen {

/// True for operations of NamedOps.td.
bool isNamedOp(mlir::Operation *op);

/// For verifiers: of `dimensions`, there is one, which the input has.
llvm::LogicalResult verifyDimension(mlir::Operation *op, mlir::RankedTensorType input,
                                    llvm::ArrayRef<int64_t> dimensions);
/// For verifiers: only integers have no sign.
llvm::LogicalResult verifySign(mlir::Operation *op, mlir::RankedTensorType input, bool isUnsigned);

} // namespace kgen
