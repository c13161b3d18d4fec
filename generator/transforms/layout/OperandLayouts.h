// Decisions of kgen-assign-layouts about the operands of contractions, a function and a file each.
// Each decides and materializes, and counts what it did: the number of panels says whether A is
// up-converted, and both say whether its rows are padded.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

struct PanelCounts {
  int64_t atBuild = 0, atRun = 0, inPlace = 0;
};
/// B: in place, or packed into panels at build time or at run time; by `layout` of what schedules
/// decided on nodes, and of lowering configurations, if they say so. Reports what cannot be.
mlir::FailureOr<PanelCounts> assignPanelsOfB(mlir::func::FuncOp func, TargetAttr target,
                                             DecisionLog &log);

struct LayoutCounts {
  int64_t done = 0, refused = 0;
};
/// The type of A: narrow, or f32, converted once for all panels of B.
LayoutCounts assignTypeOfA(mlir::func::FuncOp func, TargetAttr target, DecisionLog &log);
/// The leading dimension of A: as it is, or padded by a copy.
LayoutCounts assignPitchOfA(mlir::func::FuncOp func, TargetAttr target, DecisionLog &log);

} // namespace kgen
