// Tiles contractions by sizes that the caller gives: nested loops, or one parallel loop.
#include "transforms/Passes.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TILEPASS
#include "transforms/Passes.h.inc"

namespace {

bool isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return isa<tpp::ContractionOpInterface>(op) ||
         (linalgOp && linalg::isaContractionOpInterface(linalgOp));
}

struct TilePass : impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    SmallVector<TilingInterface> found;
    getOperation().walk([&](TilingInterface op) {
      if (isContraction(op) && llvm::all_of(op->getResultTypes(), llvm::IsaPred<TensorType>))
        found.push_back(op);
    });
    for (TilingInterface op : found)
      if (failed(tile(op)))
        return signalPassFailure();
  }

private:
  LogicalResult tile(TilingInterface op) {
    size_t loops = op.getLoopIteratorTypes().size();
    if (sizes.size() != loops)
      return op->emitOpError() << "has " << loops << " loops, but there are " << sizes.size()
                               << " tile sizes";
    IRRewriter rewriter(op);
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(&getContext(), ArrayRef<int64_t>(*sizes)));
    using LoopType = scf::SCFTilingOptions::LoopType;
    options.setLoopType(parallel ? LoopType::ForallOp : LoopType::ForOp);
    FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(rewriter, op, options);
    if (failed(tiled))
      return failure(); // reported where the tile could not be made
    rewriter.replaceOp(op, tiled->replacements);
    return success();
  }
};

} // namespace
} // namespace kgen
