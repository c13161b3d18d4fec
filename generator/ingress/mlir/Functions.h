// The first steps of every reader of functions of an .mlir file.
#pragma once

#include "support/TensorType.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

#include <optional>

namespace kgen {

/// The function becomes the module's only public one. What it calls becomes a part of it, and what
/// it does not call goes; calls that cannot be inlined stay.
mlir::LogicalResult isolateFunction(mlir::func::FuncOp function);

/// TOSA in the module becomes what linalg, tensor, arith and scf have.
mlir::LogicalResult tosaToLinalg(mlir::ModuleOp module);

/// The element type of tensors of a graph, or nothing. Values between operations may also have
/// elements of type index.
std::optional<ElementType> elementTypeOf(mlir::Type type);

} // namespace kgen
