// Padding that is read, not stored.
#include "dialect/kgen/EmptyTensor.h"
#include "transforms/gpu/Passes.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_READPADSPASS
#include "transforms/gpu/Passes.h.inc"

namespace {

/// The sizes of padding in front of each dimension; nothing where a size is known at run time only.
std::optional<SmallVector<int64_t>> lowPadding(tensor::PadOp pad) {
  if (!pad.getResultType().hasStaticShape() || !pad.getSourceType().hasStaticShape() ||
      !pad.getConstantPaddingValue() || pad.getSourceType().getNumElements() == 0)
    return std::nullopt;
  return getConstantIntValues(pad.getMixedLowPad());
}

/// The value of an element: the source's, or the padding.
Value elementOf(OpBuilder &b, Location loc, tensor::PadOp pad, ArrayRef<int64_t> low) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); };
  Value inside;
  SmallVector<Value> indices;
  ArrayRef<int64_t> sizes = pad.getSourceType().getShape();
  for (size_t d = 0; d < sizes.size(); ++d) {
    Value index = linalg::IndexOp::create(b, loc, d);
    if (sizes[d] != pad.getResultType().getDimSize(d)) {
      index = arith::SubIOp::create(b, loc, index, constant(low[d]));
      Value fits =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, constant(sizes[d]));
      inside = inside ? arith::AndIOp::create(b, loc, inside, fits).getResult() : fits;
    }
    indices.push_back(index);
  }
  if (!inside)
    return tensor::ExtractOp::create(b, loc, pad.getSource(), indices);
  for (Value &index : indices)
    index = arith::SelectOp::create(b, loc, inside, index, constant(0));
  Value element = tensor::ExtractOp::create(b, loc, pad.getSource(), indices);
  return arith::SelectOp::create(b, loc, inside, element, pad.getConstantPaddingValue());
}

struct ReadPadsPass : impl::ReadPadsPassBase<ReadPadsPass> {
  using ReadPadsPassBase::ReadPadsPassBase;

  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    for (tensor::PadOp pad : pads) {
      std::optional<SmallVector<int64_t>> low = lowPadding(pad);
      if (!low)
        continue;
      OpBuilder b(pad);
      RankedTensorType type = pad.getResultType();
      Value empty = emptyTensor(b, pad.getLoc(), type.getShape(), type.getElementType());
      auto made = linalg::GenericOp::create(
          b, pad.getLoc(), TypeRange(type), ValueRange(), empty,
          ArrayRef<AffineMap>{b.getMultiDimIdentityMap(type.getRank())},
          SmallVector<utils::IteratorType>(type.getRank(), utils::IteratorType::parallel),
          [&](OpBuilder &inner, Location loc, ValueRange) {
            linalg::YieldOp::create(inner, loc, elementOf(inner, loc, pad, *low));
          });
      pad.replaceAllUsesWith(made.getResult(0));
      pad.erase();
      ++numPads;
    }
  }
};

} // namespace
} // namespace kgen
