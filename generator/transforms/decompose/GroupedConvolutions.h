// Convolutions in groups as products of matrices, which kgen-order-windows makes of them.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

#include <optional>

namespace kgen {

/// The loops of such a convolution: images, rows, groups, columns and filters of the result, then
/// rows and columns of the window, and channels of a group.
struct GroupedConvolution {
  mlir::linalg::GenericOp op;
  int64_t rowStride, rowDilation, columnStride, columnDilation;
  int64_t groups, rows, columns, channels; ///< groups; of the window; of a group

  /// Nothing for other operations.
  static std::optional<GroupedConvolution> match(mlir::linalg::GenericOp op);
};

/// Replaces a convolution by one product for each row of its window, or by one for each of its
/// taps; returns which.
llvm::StringRef orderGroupedConvolution(mlir::IRRewriter &b, GroupedConvolution convolution);

} // namespace kgen
