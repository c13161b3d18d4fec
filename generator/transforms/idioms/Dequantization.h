// Tensors of real numbers that are computed from bytes, (byte - zero point) * scale, in whichever
// operations: how they are found, and the bytes in the order of the tensor's dimensions.
#pragma once

#include "transforms/layout/ChannelFunctions.h"

#include <mlir/IR/Builders.h>

#include <string>

namespace kgen {

class Dequantization {
public:
  /// Returns how `tensor` is computed from bytes, with one scale and zero point for each channel.
  /// Nothing if it is not, or if they are no constants.
  static std::optional<Dequantization> match(mlir::Value tensor, const Channels &channels);
  /// True if elements of `tensor` depend on bytes by way of elementwise operations, reshapes and
  /// pads.
  static bool leadsToBytes(mlir::Value tensor);

  bool isUnsigned() const { return unsignedBytes; }
  /// By channel.
  llvm::ArrayRef<double> scales() const { return function.factor; }
  llvm::ArrayRef<int64_t> zeroPoints() const { return zeros; }
  /// Of the operations between.
  void appendLocations(llvm::SmallVectorImpl<mlir::Location> &locations) const;
  /// Empty, or why a product of the bytes is not as exact as one of the real numbers.
  llvm::StringRef mismatchReason() const { return mismatch; }

  /// The bytes, and the map from the tensor's dimensions to theirs. A constant that is moved is
  /// moved here.
  struct Bytes {
    mlir::Value value;
    mlir::AffineMap map;
  };
  Bytes build(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  /// An operation on the way from the tensor to the bytes.
  struct Step {
    mlir::Operation *op;
    mlir::AffineMap map; ///< of elementwise ones: from dimensions of the result to the operand's
  };

  bool find(mlir::Value tensor, const Channels &channels, unsigned depth);
  bool findElementwise(mlir::linalg::LinalgOp op, const Channels &channels, unsigned depth);
  void takeZeroPoints();

  llvm::SmallVector<Step> steps; ///< from the bytes to the tensor
  mlir::Value source;
  bool unsignedBytes = false, isPadded = false;
  bool isBroadcast = false; ///< by an elementwise operation
  unsigned visited = 0;     ///< tensors
  std::optional<bool> readsUnsigned;
  ChannelFunction function; ///< of a byte
  std::vector<int64_t> zeros;
  std::string mismatch;
};

} // namespace kgen
