// (x0 c - x1 s, x1 c + x0 s): how a rotation of pairs is found in the expressions of their
// elements.
#pragma once

#include "analysis/Pairs.h"
#include "transforms/idioms/Expression.h"

namespace kgen {

/// Factors of the elements of a pair: the same for both, or an element of a pair each.
struct RotationFactor {
  const Expression *first = nullptr, *second = nullptr; ///< null: nothing

  bool isKnown() const;
};

/// (x[0], x[1]) becomes (+- x[0] own[0] +- x[1] other[0], +- x[1] own[1] +- x[0] other[1]). Either
/// term may be missing.
struct Rotation {
  const Expression *x = nullptr; ///< first elements
  RotationFactor own, other;
  bool hasOwn = false;
  bool isOwnNegative[2] = {}, isOtherNegative[2] = {};
};

/// Nothing if the first and second elements of pairs are no rotation. `readsPairs`: whether both
/// are computed from the same pairs.
std::optional<Rotation> rotationOf(const ExpressionTree &first, const ExpressionTree &second,
                                   bool &readsPairs);

/// The elements of pairs that an element of a tensor is one of; nothing for others.
std::optional<PairSlice> pairSliceOf(const Expression *e);

/// True for equal elements, which may have been sliced twice.
bool isSameElement(const Expression *a, const Expression *b);

} // namespace kgen
