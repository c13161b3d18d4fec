// Pads as copies: the border is filled, and the middle is what is padded, which its producer may
// then write there itself.
#include "dialect/kgen/TensorSlice.h"
#include "transforms/Passes.h"
#include "transforms/analysis/WindowShape.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERPADSPASS
#include "transforms/Passes.h.inc"

namespace {

/// A part of the result.
struct Region {
  SmallVector<int64_t> offsets, sizes;
};

class Pad {
public:
  explicit Pad(tensor::PadOp pad) : pad(pad), b(pad), loc(pad.getLoc()) {}

  static bool handles(tensor::PadOp pad) {
    auto isKnown = [](ArrayRef<int64_t> list) {
      return llvm::none_of(list, [](int64_t size) { return size < 0; }); // dynamic ones are, too
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
    // In front of the middle and behind it along each dimension, of what is left of the others.
    Region left{SmallVector<int64_t>(low.size(), 0), SmallVector<int64_t>(type.getShape())};
    for (size_t d = 0; d < low.size(); ++d) {
      Region front = left, behind = left;
      front.sizes[d] = low[d];
      behind.offsets[d] = low[d] + inner[d];
      behind.sizes[d] = high[d];
      result = fill(fill(result, front), behind);
      left.offsets[d] = low[d];
      left.sizes[d] = inner[d];
    }
    return insert(b, loc, pad.getSource(), result, TensorSlice(b, left.offsets, left.sizes));
  }

private:
  Value fill(Value tensor, const Region &region) {
    if (llvm::is_contained(region.sizes, 0))
      return tensor;
    TensorSlice box(b, region.offsets, region.sizes);
    Value part = extract(b, loc, tensor, box);
    Value filled = linalg::FillOp::create(b, loc, pad.getConstantPaddingValue(), part).getResult(0);
    return insert(b, loc, filled, tensor, box);
  }

  tensor::PadOp pad;
  OpBuilder b;
  Location loc;
};

struct LowerPadsPass : impl::LowerPadsPassBase<LowerPadsPass> {
  using LowerPadsPassBase::LowerPadsPassBase;

  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (Pad::handles(pad) && !(keepWindows && allUsesFoldPadding(pad)))
        pads.push_back(pad);
    });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads)
      rewriter.replaceOp(pad, Pad(pad).lower());
  }
};

} // namespace
} // namespace kgen
