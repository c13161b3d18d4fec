// Fusion groups as chains of operations on rows: how they read, reduce and store them.
#pragma once

#include "analysis/StoreKinds.h"
#include "transforms/tiling/FusionGroup.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

/// Returns how many operations of the group read a tensor of `elements` elements.
int64_t countReaders(const FusionGroup &group, int64_t elements);

/// True if rows stay whole (or `tilesColumns`) and at least two operations read tensors. Windows
/// overlap: tiles of them would read their borders again.
bool isRowChain(const FusionGroup &group, bool tilesColumns = false);

/// True if an operation reduces across rows (vertically): wider tiles then mean longer contiguous
/// reads.
bool reducesVertically(const FusionGroup &group);

/// True if a tile of each operand is one contiguous range, because all reduced loops are inside
/// of the tiled ones.
bool isContiguous(const FusionGroup &group);

/// True if blocks of rows are reduced to one row each; these blocks are tiled one after another.
bool reducesBlocks(const FusionGroup &group);

/// True if several operations of the group read one tensor that is larger than the result.
bool readsRowsAgain(const FusionGroup &group, mlir::linalg::LinalgOp root);

/// True if `op` transposes short rows (see kgen-reshape-reductions) along `loop`, in
/// either direction.
bool transposesRows(mlir::linalg::LinalgOp op, unsigned loop);

/// Returns where the result of a member goes, of which there is a tile at a time if no other
/// operation reads it and it is not `root`. That of the root waits for memory if any member does.
Stores storesOfMember(const FusionGroup &group, mlir::linalg::LinalgOp root,
                      mlir::linalg::LinalgOp member, TargetAttr target);

/// True if an operand is a slice of a tensor larger than the last-level cache.
bool readsFromMemory(const FusionGroup &group, TargetAttr target);

/// True if the group reads rows from memory and none of these tensors has a row pitch of whole
/// pages: rows at such a pitch share few cache sets (conflict misses).
bool readsRowsOfAllSets(const FusionGroup &group, TargetAttr target);

} // namespace kgen
