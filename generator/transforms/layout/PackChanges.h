// The packs and unpacks of a function before and after a pass whose patterns are upstream's, for
// statistics and the decision log.
#pragma once

#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

namespace kgen {

class PackChanges {
public:
  explicit PackChanges(mlir::Operation *function) : function(function), before(locations()) {}

  int64_t kept() const { return static_cast<int64_t>(locations().size()); }
  int64_t removed() const { return std::max<int64_t>(0, before.size() - kept()); }

  /// Records `what` for the packs whose location is gone, and `why` for those that are still there.
  void record(DecisionLog &log, llvm::StringRef what, llvm::StringRef why) const {
    if (!log.isOn() && !isDebugged())
      return;
    llvm::SmallVector<mlir::Location> after = locations();
    for (mlir::Location loc : before)
      if (!llvm::is_contained(after, loc))
        log.add("applied", loc, log.details().set("what", what));
    for (mlir::Location loc : after)
      log.add("refused", loc, log.details().set("why", why));
  }

private:
  llvm::SmallVector<mlir::Location> locations() const {
    llvm::SmallVector<mlir::Location> found;
    function->walk([&](mlir::Operation *op) {
      if (mlir::isa<mlir::linalg::PackOp, mlir::linalg::UnPackOp>(op))
        found.push_back(op->getLoc());
    });
    return found;
  }

  mlir::Operation *function;
  llvm::SmallVector<mlir::Location> before;
};

} // namespace kgen
