// Strides of a contraction's operands that are known at run time only.
#pragma once

#include "dialect/tpp/Tpp.h"

namespace kgen {

/// True if the stride of an operand along that loop may be known at run time only: loops around
/// kernels take it, between the matrices of a batch and the rows of a window in A. Strides of
/// kernels are numbers.
bool mayBeOpen(tpp::ContractionOpInterface op, unsigned loop, bool isA);

} // namespace kgen
