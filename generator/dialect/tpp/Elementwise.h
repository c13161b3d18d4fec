// Semantics that elementwise tile operations share.
#pragma once

#include "dialect/tpp/TppInterfaces.h"

namespace kgen::tpp {
namespace elementwise {

llvm::SmallVector<int64_t> iterationSizes(ElementwiseOpInterface op);
llvm::SmallVector<mlir::utils::IteratorType> iterationTypes(ElementwiseOpInterface op);
mlir::AffineMap operandMap(ElementwiseOpInterface op, unsigned number);
int64_t flops(ElementwiseOpInterface op);
/// The type of the computation: f64 if an operand is f64, else f32; of integers, their own type.
mlir::Type computeType(ElementwiseOpInterface op);

} // namespace elementwise

/// Builds the computation of one element of the destination from `elements` of the inputs:
/// buildScalar with conversions around it.
mlir::Value buildElement(ElementwiseOpInterface op, mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ValueRange elements);

/// Adds reads of all inputs and the write of the destination (the last operand), of memrefs only.
/// With `readsInit`, the destination is read, too.
void addTileEffects(
    mlir::Operation *op, bool readsInit,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

} // namespace kgen::tpp
