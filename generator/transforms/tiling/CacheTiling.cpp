// Cache tiling: sequential loops over tiles of rows around chains that read the same rows several
// times.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/LoweringConfig.h"
#include "transforms/tiling/CacheTileSizes.h"
#include "transforms/tiling/FusionGroup.h"
#include "transforms/tiling/Passes.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/UnrolledTiles.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/SCF/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

#include <llvm/ADT/StringExtras.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_CACHETILINGPASS
#include "transforms/tiling/Passes.h.inc"

namespace {

struct CacheTilingPass : impl::CacheTilingPassBase<CacheTilingPass> {
  void runOnOperation() override {
    if (!requireTarget(getOperation()) || failed(verifyUserTiles(getOperation())))
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    SmallVector<Block *> blocks = {&getOperation().getBody().front()};
    getOperation().walk([&](scf::ForallOp tasks) { blocks.push_back(tasks.getBody()); });
    for (Block *block : blocks)
      if (failed(tileChainsOf(*block, log)))
        return signalPassFailure();
    if (failed(peelLastTiles()) || failed(foldTensorEmpty(getOperation())))
      signalPassFailure();
  }

private:
  /// Peels loops whose last tile is smaller, so that all tile sizes are constants (kgen-vectorize
  /// relies on it).
  LogicalResult peelLastTiles() {
    SmallVector<scf::ForOp> uneven;
    getOperation().walk([&](scf::ForOp loop) {
      std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound()),
                             to = getConstantIntValue(loop.getUpperBound()),
                             step = getConstantIntValue(loop.getStep());
      if (from && to && step && (*to - *from) % *step != 0)
        uneven.push_back(loop);
    });
    if (uneven.empty())
      return success();
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : uneven) {
      scf::ForOp rest;
      LogicalResult peeled = scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest);
      assert(succeeded(peeled) && "it refuses loops that steps divide");
      (void)peeled;
    }
    OpPassManager simplify(func::FuncOp::getOperationName());
    simplify.addPass(createCanonicalizerPass());
    return runPipeline(simplify, getOperation());
  }

  LogicalResult tileChainsOf(Block &block, DecisionLog &log) {
    SmallVector<Operation *> roots, outside;
    for (Operation &op : llvm::reverse(block)) {
      bool isConfigured = cacheTilesOf(&op) && isa<linalg::LinalgOp>(op);
      if (isConfigured)
        roots.push_back(&op);
      if (isConfigured || isa<tpp::TileOpInterface>(op))
        outside.push_back(&op);
    }
    for (Operation *root : roots)
      if (!root->use_empty() && failed(tileChain(cast<linalg::LinalgOp>(root), outside, log)))
        return failure();
    return success();
  }

  LogicalResult tileChain(linalg::LinalgOp root, ArrayRef<Operation *> outside, DecisionLog &log) {
    LoweringConfigAttr config = loweringConfigOf(root);
    ArrayRef<int64_t> tiles = config.getCache();
    if (isUntiled(tiles))
      return success();
    FusionGroup group = CacheTileSizes::groupOf(root, tiles, outside);
    group.traceRefusals();
    bool isInRegisters = config.getUnroll() == 0;
    ++numTiled;
    if (isInRegisters) {
      ++numInRegisters;
      markUnrollFully(group.operations());
    }
    if (log.isOn())
      log.add("applied", group.location(),
              log.details().set("what", describe(tiles, isInRegisters)));
    return group.tile(FusionGroup::Loop::sequential);
  }

  /// For example "cache tiles of 4 x 1024, in registers".
  static std::string describe(ArrayRef<int64_t> tiles, bool isInRegisters) {
    SmallVector<std::string> sizes;
    for (int64_t tile : tiles)
      sizes.push_back(tile ? std::to_string(tile) : "all");
    return "cache tiles of " + llvm::join(sizes, " x ") + (isInRegisters ? ", in registers" : "");
  }
};

} // namespace
} // namespace kgen
