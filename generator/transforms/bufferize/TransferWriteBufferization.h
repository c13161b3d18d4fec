// vector.transfer_write in bufferization.
#pragma once

#include <mlir/IR/DialectRegistry.h>

namespace kgen {

/// A model that knows when a write leaves elements of its tensor as they were. To be registered
/// before upstream's, which is ignored then: in MLIR 22 that one compares the vector's sizes with
/// the tensor's first ones, takes four elements of [1, 5] for all of them, and what is in the fifth
/// is lost where the tensor has to be copied.
void registerTransferWriteBufferization(mlir::DialectRegistry &registry);

} // namespace kgen
