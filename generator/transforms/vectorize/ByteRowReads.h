// Pairs of neighbouring bytes in rows of images, as products of two taps take them.
#pragma once

#include "analysis/ByteRowShape.h"

#include <mlir/IR/Builders.h>

#include <map>

namespace kgen {

/// Vectors of results in columns of an image: each has those from one of `starts` on.
struct ByteStrip {
  mlir::SmallVector<int64_t> starts;
  mlir::Value first; ///< the column that `starts` count from; null: the image's first one
};

/// Reads rows of an image. Rows outside of the image are the padding, columns outside of it are
/// zeros: what their padding adds is the same in all rows.
///
/// A vector of pairs has what two neighbouring taps read beside each other as words, for each
/// result. With a stride of 1, one shuffle makes it of the bytes of a row; signed bytes are then
/// unsigned ones, 128 more than they are. With a stride of 2, neighbours in memory are the pairs.
class ByteRowReads : protected ByteRowShape {
protected:
  ByteRowReads(mlir::OpBuilder &builder, ByteRowShape shape);

  /// The difference of signed bytes that are read as unsigned ones.
  static constexpr int64_t unsignedByMore = 128;

  void beginImages();
  /// True if images are read as bytes that are 128 more than they are.
  bool addsToImage() const { return columnStride == 1 && !product.image.isUnsigned; }
  /// True if all bytes that the windows of a strip read are in rows of the image, and so is what is
  /// read beside them.
  bool isInside(const ByteStrip &strip) const;
  /// The rows of the image where all that is read for the strip is in memory of the image.
  std::pair<int64_t, int64_t> readableRows(const ByteStrip &strip) const;

  /// Begins a plane of the image, one that the loops read.
  void beginPlane(mlir::Value ofImages, mlir::Value ofChannels);
  /// Begins a row of the image for the vectors of a strip.
  void beginRow(const ByteStrip &strip, mlir::OpFoldResult row);
  /// True if the row adds nothing: it is padding of zeros.
  bool isZeroRow() const;
  /// Returns pair `pair` of the taps of a row for vector `number` of the strip.
  mlir::Value pairsOf(size_t number, int64_t pair);
  /// The padding in columns outside of the image, for these pairs; null if it adds nothing.
  mlir::Value paddingOf(const ByteStrip &strip, size_t number, int64_t pair);

  /// Returns images whose rows are one after the other in one dimension, and those again as images
  /// of `type`.
  mlir::Value joinRows(mlir::Value images);
  mlir::Value splitRows(mlir::Value joined, mlir::Type type);

  mlir::Value index(int64_t value);
  mlir::Value sum(mlir::Value value, mlir::OpFoldResult further);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  /// The place of a vector's bytes: in what is read from `column` on, `shift` bytes further.
  struct Place {
    int64_t column, shift;
  };

  Place placeOf(const ByteStrip &strip, size_t number) const;
  mlir::SmallVector<int64_t> columnsRead(const ByteStrip &strip) const;
  bool isInColumns(const ByteStrip &strip, int64_t column) const {
    return strip.first || (column >= 0 && column < imageColumns);
  }
  bool isPaddingRow() const;
  int64_t paddingRead() const;
  mlir::Value bytesAt(int64_t column);
  mlir::Value wordsOfPadding(const ByteStrip &strip, size_t number, int64_t pair, bool inside);
  mlir::Value readBytes(int64_t column);
  mlir::Value constant(int64_t count, int64_t byte);

  mlir::Value planes;                   ///< the image, its rows one after the other
  mlir::SmallVector<mlir::Value> plane; ///< indices of the current one
  const ByteStrip *strip = nullptr;
  mlir::OpFoldResult row;
  std::map<int64_t, mlir::Value> known; ///< bytes by column
};

} // namespace kgen
