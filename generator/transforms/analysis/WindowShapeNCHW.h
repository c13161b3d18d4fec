// Windows over one image whose columns come last, and where they reach out of it.
#pragma once

#include "transforms/analysis/WindowShape.h"

namespace kgen {

/// A dimension of the image that windows slide along: they begin `step` times the index of `loop`
/// and `offset` in it, and see nothing in front of it and behind its `size`.
struct Sliding {
  unsigned position, loop;
  int64_t step, offset, size;
};

/// One input is read, through windows that slide along the result's last dimension.
struct WindowShapeNCHW {
  static std::optional<WindowShapeNCHW> of(mlir::linalg::GenericOp op) {
    WindowShapeNCHW shape(op);
    if (!shape.recognize())
      return std::nullopt;
    return shape;
  }

  mlir::linalg::GenericOp op;
  mlir::SmallVector<int64_t> sizes;
  unsigned pixel = 0; ///< the loop along a row of the result
  unsigned image = 0; ///< the input that is read
  mlir::Operation *combine = nullptr;
  mlir::SmallVector<mlir::SmallVector<int64_t>>
      steps;               ///< of places in the image, by dimension and loop
  mlir::tensor::PadOp pad; ///< of the image, which is read without it; or null
  mlir::Value whole;       ///< what is read instead of the padded image
  mlir::SmallVector<mlir::OpFoldResult>
      shift; ///< from places in the padded image to those in `whole`
  Sliding columns{};
  std::optional<Sliding> rows; ///< where windows reach out of them

private:
  explicit WindowShapeNCHW(mlir::linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {}
  bool recognize();
  bool findPadding();
  Sliding slidingAlong(unsigned position, unsigned loop, int64_t offset) const {
    return {position, loop, steps[position][loop], offset,
            mlir::cast<mlir::RankedTensorType>(whole.getType()).getDimSize(position)};
  }
};

/// Whether the operation that `use` is of leaves out what a pad adds.
bool foldsPaddingNCHW(mlir::OpOperand &use);

} // namespace kgen
