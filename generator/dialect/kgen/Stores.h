// The discardable attribute `kgen.stores`: where the results of operations go, and by which stores,
// a text such as "memory|along_rows".
#pragma once

#include <mlir/IR/Operation.h>

#include "dialect/kgen/StoresEnums.h.inc"

namespace kgen {

/// On operations of linalg, and on stores of vectors whose operation had a choice of non-temporal
/// ones.
constexpr llvm::StringLiteral storesAttrName = "kgen.stores";

/// Returns what is written on `op`; nothing if nothing is, or nothing that is known.
std::optional<Stores> writtenStores(mlir::Operation *op);

void writeStores(mlir::Operation *op, Stores stores);

/// Reports an attribute that is none of Stores.
mlir::LogicalResult verifyStores(mlir::Operation *op);

/// True if no cache keeps what an operation with `stores` reads or writes.
bool usesMemory(Stores stores);

/// The orders in which non-temporal stores write the results.
Stores nonTemporalOrders(Stores stores);

} // namespace kgen
