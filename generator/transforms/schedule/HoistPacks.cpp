// Lets loops carry packed values that they carry in the plain layout and pack and unpack in each
// iteration.
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_HOISTPACKSPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

bool haveSameLayout(linalg::PackOp pack, linalg::UnPackOp unpack) {
  return pack.getDestType() == unpack.getSourceType() &&
         pack.getInnerDimsPos() == unpack.getInnerDimsPos() &&
         pack.getOuterDimsPerm() == unpack.getOuterDimsPerm() &&
         pack.getStaticInnerTiles() == unpack.getStaticInnerTiles();
}

/// The pack of a carried value whose only other reader is the unpack that it is yielded by.
linalg::PackOp packOfCarried(scf::ForOp loop, unsigned index, linalg::UnPackOp unpack) {
  linalg::PackOp pack;
  for (Operation *user : loop.getRegionIterArgs()[index].getUsers()) {
    if (user == unpack || user == loop.getBody()->getTerminator())
      continue;
    auto found = dyn_cast<linalg::PackOp>(user);
    if (!found || pack || !haveSameLayout(found, unpack))
      return {};
    pack = found;
  }
  return pack;
}

/// Returns the loop that carries the packed value instead, or nothing if there is none to hoist.
std::optional<scf::ForOp> hoist(IRRewriter &rewriter, scf::ForOp loop, unsigned index) {
  auto unpack = loop.getYieldedValues()[index].getDefiningOp<linalg::UnPackOp>();
  if (!unpack || !unpack->hasOneUse())
    return std::nullopt;
  linalg::PackOp pack = packOfCarried(loop, index, unpack);
  if (!pack)
    return std::nullopt;
  Value init = loop.getInitArgs()[index];
  rewriter.setInsertionPoint(loop);
  IRMapping before;
  before.map(pack.getSource(), init);
  before.map(pack.getDest(), emptyTensor(rewriter, loop.getLoc(), pack.getDestType().getShape(),
                                         pack.getDestType().getElementType()));
  Value first = rewriter.clone(*pack, before)->getResult(0);
  FailureOr<LoopLikeOpInterface> extended =
      cast<LoopLikeOpInterface>(*loop).replaceWithAdditionalYields(
          rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
          [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
            return SmallVector<Value>{unpack.getSource()};
          });
  if (failed(extended))
    return std::nullopt;
  auto packed = cast<scf::ForOp>(**extended);
  rewriter.replaceAllUsesWith(pack.getResult(), packed.getRegionIterArgs().back());
  // The plain value is carried unchanged and unread.
  packed.getBody()->getTerminator()->setOperand(index, packed.getRegionIterArgs()[index]);
  rewriter.setInsertionPointAfter(packed);
  IRMapping after;
  after.map(unpack.getSource(), packed.getResults().back());
  after.map(unpack.getDest(), init);
  Operation *last = rewriter.clone(*unpack, after);
  rewriter.replaceAllUsesExcept(packed.getResult(index), last->getResult(0), last);
  return packed;
}

struct HoistPacksPass : impl::HoistPacksPassBase<HoistPacksPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops; // inner ones first
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        if (std::optional<scf::ForOp> packed = hoist(rewriter, loop, i)) {
          loop = *packed;
          ++numHoisted;
        }
  }
};

} // namespace
} // namespace kgen
