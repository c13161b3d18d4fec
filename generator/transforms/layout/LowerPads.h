// Pads as fills of the border and an insertion of the source (kgen-lower-packs).
#pragma once

#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

struct PadCounts {
  int64_t lowered = 0, kept = 0;
};
/// Lowers the pads of a function that add constant amounts of a constant; with `keepWindows`, not
/// those that reduce-windows fold.
PadCounts lowerPads(mlir::func::FuncOp func, bool keepWindows, DecisionLog &log);

} // namespace kgen
