// Terms from others; each is null if one that it is made of is.
#pragma once

#include "support/ElementTerm.h"
#include "support/TensorShape.h"

namespace kgen {

constexpr int64_t largestTermNumber = int64_t(1) << 40; ///< of sizes and constants in terms

/// The subscripts of an element.
using Subscripts = std::vector<ElementTermPtr>;

/// Null if the size may be larger than numbers of terms are.
ElementTermPtr sizeTerm(const Dim &size);
/// Of two operands; simpler where they are sizes.
ElementTermPtr makeTerm(ElementTerm::Kind kind, ElementTermPtr left, ElementTermPtr right);
ElementTermPtr narrowed(ElementTermPtr term);

/// The dimensions that are not 1.
std::vector<size_t> longDims(const TensorShape &shape);
/// The row-major place of an element.
ElementTermPtr placeOf(const TensorShape &shape, const Subscripts &at);
/// The subscripts in a tensor of the same elements in the same order.
Subscripts reshaped(const TensorShape &to, const Subscripts &at, const TensorShape &from);

} // namespace kgen
