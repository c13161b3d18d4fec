// Conditions of non-temporal stores: how vectors lie in cache lines, and a check of alignment.
#pragma once

#include "costmodel/NonTemporalStores.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>
#include <mlir/IR/Builders.h>

namespace kgen {

/// `write` and its alignment in the whole memory that it is in, through all views.
StoredVector storedVectorOf(mlir::vector::TransferWriteOp write);

/// Returns what schedules demand of the writes: true if one of them wants non-temporal stores,
/// false if one wants ordinary ones; nothing if none says anything.
std::optional<bool> wantsNonTemporal(llvm::ArrayRef<mlir::vector::TransferWriteOp> writes);

/// True if the writes, to memory of `bytes` bytes, are to be non-temporal where they store lines in
/// `order`: as schedules demand, or as was chosen on tensors (kgen.stores). Copies have no choice
/// yet, nor have results that became parts of larger ones on buffers: it is made here.
bool shouldBeNonTemporal(llvm::ArrayRef<mlir::vector::TransferWriteOp> writes, const Cpu &cpu,
                         int64_t bytes, StoreOrder order);

/// True if the vector is one cache line or several, if the memory that `write` names begins with
/// one.
bool fillsLines(mlir::vector::TransferWriteOp write);

/// Builds the check whether the address of the first element of `memory` is a multiple of `bytes`,
/// a power of two.
mlir::Value isAlignedTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory, int64_t bytes);

} // namespace kgen
