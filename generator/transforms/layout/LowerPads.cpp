// Lowers pads to fills of the border and an insertion of the source, which its producer may then
// write in place.
#include "transforms/layout/LowerPads.h"

#include "analysis/WindowShape.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

class Pad {
public:
  explicit Pad(tensor::PadOp pad) : pad(pad), b(pad), loc(pad.getLoc()) {}

  static bool handles(tensor::PadOp pad) { return addsConstantAmounts(pad); }

  Value lower() {
    ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
    auto isZero = [](int64_t amount) { return amount == 0; };
    if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
      return pad.getSource();
    SmallVector<OpFoldResult> inner = sizesOf(b, loc, pad.getSource()),
                              all = sizesOf(b, loc, pad.getResult());
    Value result = emptyTensor(b, loc, all, pad.getResultType().getElementType());
    // Along each dimension: the slices before and after the middle, within `remaining`.
    TensorSlice remaining(SmallVector<OpFoldResult>(low.size(), b.getIndexAttr(0)), all);
    for (size_t d = 0; d < low.size(); ++d) {
      TensorSlice front = remaining, behind = remaining;
      front.sizes[d] = b.getIndexAttr(low[d]);
      behind.offsets[d] = affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineSymbolExpr(0) + low[d], {inner[d]});
      behind.sizes[d] = b.getIndexAttr(high[d]);
      result = fill(fill(result, front), behind);
      remaining.offsets[d] = b.getIndexAttr(low[d]);
      remaining.sizes[d] = inner[d];
    }
    return insert(b, loc, pad.getSource(), result, remaining);
  }

private:
  Value fill(Value tensor, const TensorSlice &slice) {
    if (llvm::any_of(slice.sizes, [](OpFoldResult size) { return getConstantIntValue(size) == 0; }))
      return tensor;
    Value border = extract(b, loc, tensor, slice);
    Value filled =
        linalg::FillOp::create(b, loc, pad.getConstantPaddingValue(), border).getResult(0);
    return insert(b, loc, filled, tensor, slice);
  }

  tensor::PadOp pad;
  OpBuilder b;
  Location loc;
};

} // namespace

PadCounts lowerPads(func::FuncOp func, bool keepWindows, DecisionLog &log) {
  PadCounts counts;
  SmallVector<tensor::PadOp> pads;
  func.walk([&](tensor::PadOp pad) {
    bool isFolded = keepWindows && allUsesFoldPadding(pad);
    if (Pad::handles(pad) && !isFolded) {
      ++counts.lowered;
      log.add("applied", pad.getLoc(), log.details().set("what", "the border is in memory"));
      pads.push_back(pad);
      return;
    }
    ++counts.kept;
    log.add("refused", pad.getLoc(),
            log.details().set("why",
                              isFolded ? "windows skip the padding" : "padding is not constant"));
  });
  IRRewriter rewriter(func.getContext());
  for (tensor::PadOp pad : pads)
    rewriter.replaceOp(pad, Pad(pad).lower());
  return counts;
}

} // namespace kgen
