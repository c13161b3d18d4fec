// Sums of products of bytes over windows of NCHW images, each channel with a filter of its own, for
// CPUs without dot products of bytes.
#pragma once

#include "analysis/WindowShape.h"

namespace kgen {

/// A depthwise convolution of bytes whose vectors go along rows of images. Its loops are images,
/// channels, rows and columns of the result, and then rows and columns of a window.
struct ByteRowShape {
  enum Loop : unsigned { images, channels, rows, columns, tapRows, tapColumns };

  /// Returns nothing if `op` has another form, or if vectors along rows gain nothing on its target.
  static std::optional<ByteRowShape> match(mlir::linalg::GenericOp op);

  mlir::linalg::GenericOp op;
  mlir::linalg::GenericOp
      consumer; ///< the only reader, element by element, which is fused; or null
  mlir::SmallVector<int64_t> sizes; ///< of the loops; that of images may be dynamic
  ByteProduct product;
  int64_t rowStride = 1, columnStride = 1;
  int64_t top = 0, left = 0;                   ///< rows and columns of padding before the image
  mlir::tensor::PadOp pad;                     ///< of the image; null without padding
  int64_t padding = 0;                         ///< the byte that the image is padded with
  mlir::Value image;                           ///< without padding
  mlir::OpFoldResult firstImage, firstChannel; ///< of `image` that the loops read
  int64_t imageRows = 0, imageColumns = 0;
  static constexpr int64_t lanesOfPart = 4; ///< of 128 bits

  int64_t lanes = 0; ///< results in a vector
  int64_t read = 0;  ///< bytes that are read at once

  /// Pairs of neighbouring taps in a row of a window; the last one may lack its second.
  int64_t pairs() const { return (sizes[tapColumns] + 1) / 2; }
  /// Rows of results whose windows begin before those of a row end, without that row.
  int64_t rowsBegun() const { return (sizes[tapRows] - 1) / rowStride; }
  /// True if a row of results is two vectors, all of whose bytes are read at once. Lanes after the
  /// end of the row have results that nothing needs.
  bool readsWholeRows() const;
  /// The column of a lane's result, from that of the first lane on. In a row that is shorter than a
  /// vector, the last lanes have results that others have, too: each 128 bits are neighbours.
  int64_t columnOf(int64_t lane) const;

private:
  explicit ByteRowShape(mlir::linalg::GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {}
  bool recognize();
  bool hasMaps();
  bool findPadding();
  bool findConsumer();
  bool gains();
};

/// foldsPadding for these sums.
bool foldsPaddingOfByteRows(mlir::OpOperand &use);

} // namespace kgen
