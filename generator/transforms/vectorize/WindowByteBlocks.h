// Sums of products of bytes over windows of NHWC images, of four vectors of channels at once.
#pragma once

#include "transforms/vectorize/WindowByteTaps.h"

namespace kgen {

/// Computes blocks of channels, one for each byte of a register, where dot products take four taps.
///
/// Four rows of such bytes are interleaved by eight shuffles within 128 bits, which make four
/// vectors: part p has the channels 4 p to 4 p + 3 of each 128 bits. Sums stay in this order, and
/// packing puts their bytes in the order of the image again.
class WindowByteBlocks : protected WindowByteTaps {
protected:
  using WindowByteTaps::WindowByteTaps;
  static constexpr int64_t parts = 4;

  /// True if the windows can be computed so.
  bool hasBlocks();
  /// Filters for `width` channels: the parts of each group, one group after the other; at the
  /// image's place, what the parts of sums start from.
  Weights blockFilters(int64_t width);
  /// The parts of each pixel's sums, one pixel after the other.
  mlir::SmallVector<mlir::Value> initialBlockSums(const PixelTile &tile);
  /// Adds the active taps to the sums of all pixels, and calls `finish` with each pixel whose sums
  /// are complete.
  void addBlockProducts(PixelTile &tile, mlir::SmallVectorImpl<mlir::Value> &sums,
                        llvm::function_ref<void(int64_t)> finish);
  /// Keeps LLVM from reading for later pixels before what was written: its scheduler would compute
  /// one part of all pixels after the other, with everything that they share in memory.
  void endPixel();
  /// The channels of a part of the vector.
  mlir::Value partOf(mlir::Value all, int64_t part);

private:
  mlir::Value unpacked(mlir::Value a, mlir::Value b2, int64_t bytes, bool isHigh);
  mlir::SmallVector<mlir::Value> startingParts(mlir::ArrayRef<mlir::Value> filters, int64_t width);
  mlir::SmallVector<mlir::Value> interleavedParts(mlir::ArrayRef<mlir::Value> rows);
  mlir::SmallVector<mlir::Value> partsOfImage(PixelTile &tile, const AddedGroup &step);
};

} // namespace kgen
