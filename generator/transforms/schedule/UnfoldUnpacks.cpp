// Unpacks of whole tiles, of which a slice is what is left of the result.
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <llvm/Support/MathExtras.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_UNFOLDUNPACKSPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

/// The result's type with whole tiles at its end; that of the result if its size is not known.
RankedTensorType wholeTiles(linalg::UnPackOp unpack) {
  RankedTensorType type = unpack.getDestType();
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, tile] : llvm::zip_equal(unpack.getInnerDimsPos(), unpack.getStaticInnerTiles()))
    if (!ShapedType::isDynamic(tile) && !ShapedType::isDynamic(shape[dim]))
      shape[dim] = llvm::alignTo(shape[dim], tile);
  return RankedTensorType::get(shape, type.getElementType());
}

struct UnfoldUnpacksPass : impl::UnfoldUnpacksPassBase<UnfoldUnpacksPass> {
  void unfold(linalg::UnPackOp unpack) {
    RankedTensorType part = unpack.getDestType(), whole = wholeTiles(unpack);
    if (whole == part || !part.hasStaticShape())
      return;
    OpBuilder b(unpack);
    Location loc = unpack.getLoc();
    Value dest = emptyTensor(b, loc, whole.getShape(), whole.getElementType());
    auto made = linalg::UnPackOp::create(b, loc, unpack.getSource(), dest, unpack.getInnerDimsPos(),
                                         unpack.getMixedTiles(), unpack.getOuterDimsPerm());
    made->setDiscardableAttrs(unpack->getDiscardableAttrDictionary());
    SmallVector<OpFoldResult> zeros(part.getRank(), b.getIndexAttr(0)),
        sizes = getAsIndexOpFoldResult(b.getContext(), part.getShape()),
        ones(part.getRank(), b.getIndexAttr(1));
    Value slice =
        tensor::ExtractSliceOp::create(b, loc, part, made->getResult(0), zeros, sizes, ones);
    unpack->getResult(0).replaceAllUsesWith(slice);
    unpack.erase();
    ++numUnfolded;
  }

  void runOnOperation() override {
    SmallVector<linalg::UnPackOp> unpacks;
    getOperation()->walk([&](linalg::UnPackOp op) { unpacks.push_back(op); });
    for (linalg::UnPackOp op : unpacks)
      unfold(op);
  }
};

} // namespace
} // namespace kgen
