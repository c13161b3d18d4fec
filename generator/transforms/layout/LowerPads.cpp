// Lowers pads to fills of the border and an insertion of the source, which its producer may then
// write in place.
#include "transforms/layout/LowerPads.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/analysis/WindowShape.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

/// A slice of the result.
struct Bounds {
  SmallVector<int64_t> offsets, sizes;
};

class Pad {
public:
  explicit Pad(tensor::PadOp pad) : pad(pad), b(pad), loc(pad.getLoc()) {}

  static bool handles(tensor::PadOp pad) {
    auto isKnown = [](ArrayRef<int64_t> list) {
      return llvm::none_of(list,
                           [](int64_t size) { return size < 0; }); // dynamic ones are negative, too
    };
    return pad.getConstantPaddingValue() && pad.getSourceType().hasStaticShape() &&
           pad.getResultType().hasStaticShape() && isKnown(pad.getStaticLow()) &&
           isKnown(pad.getStaticHigh());
  }

  Value lower() {
    if (pad.getSourceType() == pad.getResultType())
      return pad.getSource();
    RankedTensorType type = pad.getResultType();
    ArrayRef<int64_t> inner = pad.getSourceType().getShape(), low = pad.getStaticLow(),
                      high = pad.getStaticHigh();
    Value result = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
    // Along each dimension: the slices before and after the middle, within `remaining`.
    Bounds remaining{SmallVector<int64_t>(low.size(), 0), SmallVector<int64_t>(type.getShape())};
    for (size_t d = 0; d < low.size(); ++d) {
      Bounds front = remaining, behind = remaining;
      front.sizes[d] = low[d];
      behind.offsets[d] = low[d] + inner[d];
      behind.sizes[d] = high[d];
      result = fill(fill(result, front), behind);
      remaining.offsets[d] = low[d];
      remaining.sizes[d] = inner[d];
    }
    return insert(b, loc, pad.getSource(), result,
                  TensorSlice(b, remaining.offsets, remaining.sizes));
  }

private:
  Value fill(Value tensor, const Bounds &bounds) {
    if (llvm::is_contained(bounds.sizes, 0))
      return tensor;
    TensorSlice slice(b, bounds.offsets, bounds.sizes);
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
            log.details().set("why", isFolded ? "windows skip the padding"
                                              : "padding or sizes are not constant"));
  });
  IRRewriter rewriter(func.getContext());
  for (tensor::PadOp pad : pads)
    rewriter.replaceOp(pad, Pad(pad).lower());
  return counts;
}

} // namespace kgen
