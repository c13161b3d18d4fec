// Elementwise consumers of contractions become their epilogues, which run while the register tile
// is in registers.
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/fusion/Passes.h"
#include "transforms/fusion/Roundings.h"
#include "transforms/fusion/TppGenerics.h"
#include "transforms/fusion/TppGroups.h"

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "transforms/fusion/Passes.h.inc"

namespace {

struct FuseEpiloguesPass : impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  using FuseEpiloguesPassBase::FuseEpiloguesPassBase;

  void runOnOperation() override {
    DecisionLog log(getOperation(), getArgument());
    numGroups += formGroups(getOperation());
    lowerGroups(log);
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      fuse(op, log);
    RoundingCounts roundings = foldTruncExt(getOperation(), log);
    numRoundings += roundings.folded;
    numKeptRoundings += roundings.kept;
  }

private:
  void refuse(Location loc, StringRef why, DecisionLog &log) {
    log.add("refused", loc, log.details().set("why", why));
    ++numRefused;
  }

  static bool readsContraction(linalg::GenericOp op) {
    return llvm::any_of(op.getInputs(), [](Value input) {
      return input.getDefiningOp<tpp::ContractionOpInterface>() != nullptr;
    });
  }

  void lowerGroups(DecisionLog &log) {
    SmallVector<tpp::GroupOp> groups;
    getOperation().walk([&](tpp::GroupOp group) { groups.push_back(group); });
    for (tpp::GroupOp group : groups) {
      Location loc = group.getLoc();
      if (lowerGroup(group))
        log.add("applied", loc, log.details().set("what", "tile operations are one operation"));
      else
        emitRemark(loc) << "group is split: what follows the contraction cannot be its epilogue";
    }
  }

  void fuse(linalg::GenericOp op, DecisionLog &log) {
    EpilogueMatch match = matchEpilogue(op);
    if (!match.refusal.empty())
      refuse(op.getLoc(), match.refusal, log);
    if (!match.gemm && match.refusal.empty() && readsContraction(op))
      traceRefusal(op.getLoc(), "is no epilogue: it reduces, gathers, or reads its destination");
    if (!match.gemm)
      return;
    log.add("epilogue", op.getLoc(), log.details().setNames("into", match.gemm.getLoc()));
    ++numFused;
    fuseIntoEpilogue(op, match.gemm);
  }
};

} // namespace
} // namespace kgen
