// Filters of convolutions of bytes that are known at build time.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

#include <optional>

namespace kgen {

/// A filter of bytes that is a constant, or the part of one that a task's channels need.
class ConstantFilter {
public:
  /// Returns nothing if the filter has other values. `alongChannels`: its dimension of channels.
  static std::optional<ConstantFilter> match(mlir::Value filter, unsigned alongChannels);

  /// Channels of the whole constant.
  int64_t channels() const { return shape[alongChannels]; }
  /// Returns the channel of the constant that is the filter's first one.
  mlir::Value firstChannel(mlir::OpBuilder &b, mlir::Location loc) const;
  /// A number that divides it; 0 if it is 0.
  int64_t divisorOfFirst() const;
  /// The byte at an index of the filter, but of a channel of the constant.
  int16_t at(int64_t channel, mlir::ArrayRef<int64_t> index, bool isUnsigned) const;

private:
  ConstantFilter() = default;

  unsigned alongChannels = 0;
  mlir::SmallVector<int64_t> shape, strides;
  mlir::SmallVector<char> bytes;
  mlir::SmallVector<mlir::OpFoldResult> offsets; ///< whose sum is the first channel
};

} // namespace kgen
