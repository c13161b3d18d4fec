// What elementwise tile operations have in common, written once.
#pragma once

#include "dialect/tpp/TppInterfaces.h"

namespace kgen::tpp {
namespace elementwise {

llvm::SmallVector<int64_t> iterationSizes(ElementwiseOpInterface op);
llvm::SmallVector<mlir::utils::IteratorType> iterationTypes(ElementwiseOpInterface op);
mlir::AffineMap operandMap(ElementwiseOpInterface op, unsigned number);
int64_t flops(ElementwiseOpInterface op);
/// f64 if an operand is, else f32; the type itself of integers.
mlir::Type computeType(ElementwiseOpInterface op);

} // namespace elementwise

/// The element of the destination, from those of the inputs: what buildScalar makes, between
/// conversions.
mlir::Value buildElement(ElementwiseOpInterface op, mlir::OpBuilder &b, mlir::Location loc,
                         mlir::ValueRange elements);

/// Reads of all inputs and the write of the destination (the last operand), if it is a memref.
void addTileEffects(
    mlir::Operation *op, bool readsInit,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

} // namespace kgen::tpp
