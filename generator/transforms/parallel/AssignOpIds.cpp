// Numbers the operations that do a graph's work, so that decisions about one of them can be brought
// together after it has become loops.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/parallel/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ASSIGNOPIDSPASS
#include "transforms/parallel/Passes.h.inc"

namespace {

struct AssignOpIdsPass : impl::AssignOpIdsPassBase<AssignOpIdsPass> {
  void runOnOperation() override {
    if (!DecisionLog(getOperation(), getArgument()).isOn())
      return;
    int64_t number = 0;
    getOperation().walk([&](DestinationStyleOpInterface op) {
      if (isa<linalg::LinalgOp, ExternOp>(*op) || isa<tpp::TppDialect>(op->getDialect()))
        op->setLoc(withOpId(op->getLoc(), number++));
    });
    numOps += number;
  }
};

} // namespace
} // namespace kgen
