// Reduce-windows over images in NCHW, whose columns are contiguous, and where windows extend into
// the padding.
#pragma once

#include "analysis/WindowShape.h"

namespace kgen {

/// A dimension of the image that windows slide along. A window begins at `stride` times the index
/// of `loop`, plus `offset`; its valid range is [0, size).
struct SlidingDim {
  unsigned position, loop; ///< the dimension of the image; the loop
  int64_t stride, offset, size;
};

/// A reduction of one input through windows that slide along the result's last dimension.
struct WindowShapeNCHW {
  static std::optional<WindowShapeNCHW> match(mlir::linalg::GenericOp op) {
    WindowShapeNCHW shape(op);
    if (!shape.recognize())
      return std::nullopt;
    return shape;
  }

  mlir::linalg::GenericOp op;
  mlir::SmallVector<int64_t> sizes; ///< of the loops; dynamic ones only around rows
  unsigned pixel = 0;               ///< the loop along a row of the result
  unsigned image = 0;               ///< the input that is read
  mlir::Operation *combine = nullptr;
  mlir::SmallVector<mlir::SmallVector<int64_t>>
      coefficients;        ///< of the index into the image, by dimension and loop
  mlir::tensor::PadOp pad; ///< of the image; null without padding
  mlir::Value unpadded;    ///< the source of `pad`, read instead of the padded image
  mlir::SmallVector<mlir::OpFoldResult>
      unpaddedOffsets; ///< what an index in the padded image gains in `unpadded`
  SlidingDim columns{};
  std::optional<SlidingDim> rows; ///< the padded dimension besides columns

private:
  explicit WindowShapeNCHW(mlir::linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {}
  bool recognize();
  bool findPadding();
  SlidingDim slidingAlong(unsigned position, unsigned loop, int64_t offset) const {
    return {position, loop, coefficients[position][loop], offset,
            mlir::cast<mlir::RankedTensorType>(unpadded.getType()).getDimSize(position)};
  }
};

/// foldsPadding for reduce-windows over images in NCHW.
bool foldsPaddingNCHW(mlir::OpOperand &use);

} // namespace kgen
