// The part of a dimension that a slice takes, where sizes are known at run time only.
#pragma once

#include "support/Dim.h"

#include <optional>

namespace kgen {

struct SliceOfDim {
  Dim start, count;
};

/// The slice from `start` to before `end`, which count from the end if negative and are limited to
/// the dimension, in steps forwards or backwards. Nothing if it is not the same polynomials for all
/// sizes.
std::optional<SliceOfDim> sliceOf(const Dim &size, const Dim &start, const Dim &end, int64_t step);

} // namespace kgen
