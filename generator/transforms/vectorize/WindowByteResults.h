// Sums of products of bytes over windows of NHWC images, and what becomes of them: other bytes.
#pragma once

#include "dialect/kgen/PackedBytes.h"
#include "transforms/vectorize/ChannelChoice.h"
#include "transforms/vectorize/WindowByteBlocks.h"

namespace kgen {

/// Computes the elementwise operation that reads the sums while they are in registers.
class WindowByteResults : protected WindowByteBlocks {
protected:
  WindowByteResults(mlir::OpBuilder &builder, WindowShape shape, TargetAttr target)
      : WindowByteBlocks(builder, std::move(shape), target), consumer(findConsumer()) {}

  /// Decides how sums become bytes again where `pixels` are computed at once; true if blocks of
  /// channels are computed.
  bool planBytes(TargetAttr target, int64_t pixels);
  /// Filters of a block of channels, and what the consumer reads for it.
  Weights keptBlock(int64_t width);
  /// Finds out how the consumer computes results of `width` channels.
  void beginChannels(int64_t width);
  /// Computes the consumer's value from a window's, `by` further.
  mlir::Value applyConsumer(mlir::Value value, mlir::ArrayRef<int64_t> by, int64_t width);
  /// Computes and writes the tile's bytes, or sums without a consumer.
  mlir::Value computeBytes(mlir::Value tensor, PixelTile &tile);
  /// Like computeBytes, but a block of channels.
  mlir::Value computeBlock(mlir::Value tensor, PixelTile &tile);

  mlir::linalg::GenericOp consumer; ///< null without one
  ChannelChoice choice;             ///< of the consumer, for the current channels

private:
  mlir::Value applyConsumer(mlir::Value value, mlir::SmallVector<mlir::Value> arguments,
                            int64_t width);
  mlir::SmallVector<mlir::Value> indicesOf(int64_t i);

  std::optional<PackedBytes> packed; ///< the consumer's results
  bool packsPixels = false;          ///< four of them become bytes together
  mlir::SmallVector<mlir::SmallVector<mlir::Value>> blockOperands; ///< of the consumer, by part
};

} // namespace kgen
