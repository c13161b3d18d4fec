// Indices that run backwards: c - d of loop d. Pairs are read in exchanged order by 1 - d.
#pragma once

#include <mlir/IR/AffineExpr.h>

#include <optional>

namespace kgen {

/// Returns the loop d of an index c - d; nothing for other indices.
std::optional<unsigned> reversedLoop(mlir::AffineExpr index);

} // namespace kgen
