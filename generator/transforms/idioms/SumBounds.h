// Bounds of sums of products of bytes.
#pragma once

#include <mlir/IR/Value.h>

#include <optional>
#include <vector>

namespace kgen {

/// Returns the largest magnitude of the tensor's elements, if they are sums of products of bytes.
std::optional<double> largestSum(mlir::Value tensor);

/// The least and greatest sums that a filter allows: those of each index of a dimension.
struct FilterBounds {
  unsigned dimension = 0; ///< of the tensor
  std::vector<double> lowest, highest;
};

/// Returns bounds for each channel of a constant filter; nothing if the tensor's elements are not
/// sums of products of its bytes and others.
std::optional<FilterBounds> filterBounds(mlir::Value tensor);

} // namespace kgen
