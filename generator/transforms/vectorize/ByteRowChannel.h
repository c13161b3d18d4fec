// Starts of sums and operands of a channel, in convolutions of bytes along rows of images.
#pragma once

#include "dialect/kgen/PackedBytes.h"
#include "transforms/vectorize/ByteRowFilter.h"
#include "transforms/vectorize/ChannelChoice.h"
#include "transforms/vectorize/SumTerms.h"

namespace kgen {

/// Starts of the current channel's sums, and the consumer's results.
class ByteRowChannel : protected ByteRowFilter {
protected:
  ByteRowChannel(mlir::OpBuilder &builder, ByteRowShape shape, TargetAttr target);

  /// Reads what a channel needs.
  void beginChannel(mlir::Value ofImages, mlir::Value ofChannels);
  /// Returns what the sums of each vector of a strip start from, with the padding in columns
  /// outside of the image: it is the same in all rows.
  mlir::SmallVector<mlir::Value> startsOf(const ByteStrip &strip);
  /// Returns what the consumer makes of sums; numbers that are not narrowed yet, if bytes are
  /// packed.
  mlir::Value finished(mlir::Value sum);
  /// Makes bytes of numbers that are not narrowed yet, four vectors at a time.
  mlir::SmallVector<mlir::Value> narrowed(mlir::SmallVector<mlir::Value> numbers);

  mlir::Value currentImage, currentChannel;
  ChannelChoice choice; ///< of the consumer, for the current channel

private:
  mlir::Value scalarOf(mlir::Value tensor, mlir::AffineMap map);

  std::optional<PackedBytes> packed;
  mlir::SmallVector<SumTerm> terms; ///< the same for all results of a channel: sums start from them
  mlir::SmallVector<mlir::Value>
      arguments;     ///< of the consumer's body, in all lanes; null: sums, or not used
  mlir::Value start; ///< of sums without padding
};

} // namespace kgen
