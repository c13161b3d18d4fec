// The plan of kgen.attention's products: decided when layouts are assigned, and written on the
// operation.
#pragma once

#include "dialect/kgen/Kgen.h"

namespace kgen {

/// Writes the plan of products of pairs on the operation. False if there are none: operands are not
/// all bf16 of static sizes, probabilities may not be rounded to it, or no instruction of the
/// target adds up products of bf16.
bool planProductsOfPairs(AttentionOp op, TargetAttr target);

/// That plan; null if products are not of pairs.
GemmPlanAttr planOfPairs(AttentionOp op);

} // namespace kgen
