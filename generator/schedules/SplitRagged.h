// `ragged: split`: a border part is an operation of its own. Private to schedules/.
#pragma once

#include "schedules/ScheduleScript.h"

#include <llvm/ADT/SmallVector.h>

namespace kgen {

/// The operations that one script schedules: the root and, for sums, its fill; with an epilogue the
/// elementwise operation after it.
struct ScheduledGroup {
  mlir::Operation *fill = nullptr; ///< null for elementwise operations
  mlir::linalg::LinalgOp root;
  mlir::linalg::GenericOp epilogue; ///< null if there is none

  llvm::SmallVector<mlir::Operation *> ops();
  llvm::SmallVector<mlir::Type> epilogueTypes(); ///< of its operands
  mlir::Value result();
};

/// A part of a group's result with a nest for its size.
struct RaggedPart {
  ScheduledGroup group;
  ScheduleSpec schedule; ///< without parameters
  std::string text;      ///< "m 960 to 999"; empty: there is one part
};

/// Replaces the group by one for each combination of whole parts and rests of its parallel loops,
/// whose results are inserted into one tensor. Sums are not split: their rest would need the
/// accumulators once more.
std::vector<RaggedPart> splitRagged(ScheduledGroup group, const ScheduleSpec &schedule,
                                    const ScheduledOperator &op,
                                    const ScheduleParameters &parameters);

} // namespace kgen
