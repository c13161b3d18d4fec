// Elementwise consumers become part of the contraction: the tile is still in registers when they
// run.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/fusion/TppGenerics.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "transforms/Passes.h.inc"

namespace {

struct FuseEpiloguesPass : impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    DecisionLog log(getOperation(), getArgument());
    for (linalg::GenericOp op : generics) {
      tpp::ContractionOpInterface gemm = fusibleContraction(op);
      if (!gemm)
        continue;
      log.add("epilogue", op.getLoc(), log.details().setNames("into", gemm.getLoc()));
      fuseIntoEpilogue(op, gemm);
    }
  }
};

} // namespace
} // namespace kgen
