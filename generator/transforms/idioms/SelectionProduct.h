// Products with constant matrices that have one element other than 0 in each column: diagonal ones
// scale, and columns of the unit matrix select.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <vector>

namespace kgen {

/// Element n of the result along `axis` is element `indices[n]` of `source`, times `factors[n]`.
/// Everything else is where it was.
struct SelectionProduct {
  mlir::Value source;
  int64_t axis;
  llvm::SmallVector<int64_t> indices;
  std::vector<double> factors;

  /// Each element stays where it is.
  bool isDiagonal() const;
  bool hasFactors() const;
};

/// Nothing if the operation is no such product.
std::optional<SelectionProduct> selectionProduct(mlir::linalg::LinalgOp op);

/// The copy of `source` by constant indices along an axis.
mlir::Value gathered(mlir::OpBuilder &b, mlir::Location loc, const SelectionProduct &product);

/// The tensor times a factor for each index of the axis.
mlir::Value scaledAlong(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                        const SelectionProduct &product);

} // namespace kgen
