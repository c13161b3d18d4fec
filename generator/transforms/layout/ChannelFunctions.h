// Results of elementwise operations as linear functions of one operand, whose numbers are known for
// each channel: normalizations with constant parameters, scales and biases, dequantizations, in
// whichever scalar operations they are written.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>

#include <llvm/ADT/DenseMap.h>

#include <optional>
#include <vector>

namespace kgen {

/// The channels of a tensor's dimensions: the number of a channel is the sum of the indices times
/// `strides`. A stride of 0: the dimension does not belong to it.
struct Channels {
  int64_t count = 1;
  llvm::SmallVector<int64_t> strides;

  /// The index of a channel in a dimension of that size.
  int64_t indexIn(int64_t dimension, int64_t size, int64_t channel) const {
    return channel / strides[dimension] % size;
  }
};

/// The channels of the result of a reshape from one shape to another; nothing if a dimension
/// belongs to them in part.
std::optional<Channels> reshaped(const Channels &before, llvm::ArrayRef<int64_t> from,
                                 llvm::ArrayRef<int64_t> to,
                                 llvm::ArrayRef<mlir::ReassociationIndices> groups,
                                 bool isCollapse);

/// Terms of integers up to this one are added to bytes without wrapping in 32 bits.
constexpr double maxExactIntegerTerm = 1 << 24;

/// x times `factor` plus `term`, for each channel. Without factors: a number that does not depend
/// on x.
struct ChannelFunction {
  std::vector<double> factor, term;

  bool dependsOnX() const { return !factor.empty(); }
};

/// The values in the body of an elementwise operation as functions of the element of one of its
/// inputs.
class ChannelFunctions {
public:
  /// `loops` are the channels of the operation's loops.
  ChannelFunctions(mlir::linalg::LinalgOp op, unsigned input, const Channels &loops);

  /// The last value that is such a function, if nothing else of the body depends on the input; null
  /// if there is none.
  mlir::Value last() const { return found; }
  const ChannelFunction &function() const { return values.at(found); }
  /// Of an input of bytes: whether they are read as numbers without a sign; nothing if they are not
  /// read, or only moved.
  std::optional<bool> readsUnsigned() const { return unsignedBytes; }

private:
  std::optional<ChannelFunction> functionOf(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, ChannelFunction> values;
  mlir::Value found;
  std::optional<bool> unsignedBytes;
};

} // namespace kgen
