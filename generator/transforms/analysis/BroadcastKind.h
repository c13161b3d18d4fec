// How an operand of an elementwise operation or a reduction is broadcast along its loops.
#pragma once

#include <mlir/IR/AffineMap.h>

namespace kgen {

/// The kind of an operand whose loops are rows and, innermost, the elements of a row.
enum class BroadcastKind {
  none,      ///< one element for each iteration
  perRow,    ///< one element for each row: broadcast along the innermost loop
  perColumn, ///< one row for all rows
  scalar,    ///< one element for all iterations
  other      ///< transposed, or broadcast along other loops
};

BroadcastKind broadcastKindOf(mlir::AffineMap map);

} // namespace kgen
