// Long functions become several, which the first one calls one after the other.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/SymbolTable.h>

namespace kgen {

/// Moves consecutive operations of a function of very many operations to private functions. What is
/// pure stays, and is computed anew where it is used; what needs values that no call can pass
/// stays, too.
void splitLongFunction(mlir::func::FuncOp function, mlir::SymbolTable &symbols);

} // namespace kgen
