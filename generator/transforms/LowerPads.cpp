// Pads as copies: the border is filled, and the middle is what is padded, which its producer may
// then write there itself.
#include "transforms/Passes.h"
#include "transforms/WindowShape.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_LOWERPADSPASS
#include "transforms/Passes.h.inc"

namespace {

/// A box of a tensor.
struct Box {
  SmallVector<int64_t> offsets, sizes;

  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
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
    Box left{SmallVector<int64_t>(low.size(), 0), SmallVector<int64_t>(type.getShape())};
    for (size_t d = 0; d < low.size(); ++d) {
      Box front = left, behind = left;
      front.sizes[d] = low[d];
      behind.offsets[d] = low[d] + inner[d];
      behind.sizes[d] = high[d];
      result = fill(fill(result, front), behind);
      left.offsets[d] = low[d];
      left.sizes[d] = inner[d];
    }
    return insert(pad.getSource(), result, left);
  }

private:
  SmallVector<OpFoldResult> attributes(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(b.getContext(), values);
  }
  SmallVector<OpFoldResult> ones() {
    return attributes(SmallVector<int64_t>(pad.getStaticLow().size(), 1));
  }
  Value insert(Value part, Value tensor, const Box &box) {
    return tensor::InsertSliceOp::create(b, loc, part, tensor, attributes(box.offsets),
                                         attributes(box.sizes), ones());
  }
  Value fill(Value tensor, const Box &box) {
    if (box.isEmpty())
      return tensor;
    Value part = tensor::ExtractSliceOp::create(b, loc, tensor, attributes(box.offsets),
                                                attributes(box.sizes), ones());
    Value filled = linalg::FillOp::create(b, loc, pad.getConstantPaddingValue(), part).getResult(0);
    return insert(filled, tensor, box);
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
      if (Pad::handles(pad) && !(keepWindows && isLeftOutByWindows(pad)))
        pads.push_back(pad);
    });
    IRRewriter rewriter(&getContext());
    for (tensor::PadOp pad : pads)
      rewriter.replaceOp(pad, Pad(pad).lower());
  }
};

} // namespace
} // namespace kgen
