// Filters of convolutions of bytes along rows of images.
#pragma once

#include "transforms/vectorize/ByteRowReads.h"

namespace kgen {

/// The filter of the current channel: pairs of taps as words, in all lanes. Those of a constant are
/// made at build time.
class ByteRowFilter : protected ByteRowReads {
protected:
  using ByteRowReads::ByteRowReads;

  /// Makes what all channels read. To be called before the loops.
  void beginFilters();
  /// Reads the pairs of a channel, one that the loops have.
  void beginFilter(mlir::Value ofChannels);

  mlir::SmallVector<mlir::Value> filters; ///< the pairs of a row, one row after the other

private:
  mlir::Value pairOfTable(int64_t number);
  mlir::Value tapsOfFilter(int64_t row, int64_t column, int64_t count);
  mlir::Value filterPair(int64_t row, int64_t pair);

  mlir::Value channel;
  mlir::Value table;        ///< pairs of all channels as i32, if the filter is a constant
  mlir::Value firstOfTable; ///< the channel of `table` that is the first one of the loops
};

} // namespace kgen
