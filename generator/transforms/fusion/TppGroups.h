// Chains of tile operations as tpp.group, and groups as one contraction or one linalg.generic.
#pragma once

#include "dialect/tpp/Tpp.h"

namespace kgen {

/// Makes groups of the tile operations on tensors in `root` and returns how many. From the last
/// operation of a chain upwards, an elementwise operation takes in those producers that only it
/// reads, in the same block and at the element that it computes; at most one of them all is a
/// contraction.
int64_t formGroups(mlir::Operation *root);

/// Replaces a group by one operation: its elementwise operations become one linalg.generic, which
/// becomes the epilogue of the group's contraction if there is one. False if that contraction does
/// not take the epilogue: then it and the generic are two operations.
bool lowerGroup(tpp::GroupOp group);

} // namespace kgen
