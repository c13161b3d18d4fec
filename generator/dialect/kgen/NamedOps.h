// Operators by name, which kgen-decompose-named-ops makes loops of: NamedOps.td.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Interfaces/InferTypeOpInterface.h>

#define GET_OP_CLASSES
#include "dialect/kgen/NamedOps.h.inc"

namespace kgen {

/// True for operations of NamedOps.td.
bool isNamedOp(mlir::Operation *op);

} // namespace kgen
